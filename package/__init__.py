"""What is made for people who install a box: the Debian package, its repository, the card image, a release."""
