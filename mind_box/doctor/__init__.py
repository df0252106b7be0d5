"""``mind-box doctor``: each part's own check, with a plain verdict and what to do. Looks, and changes nothing."""
