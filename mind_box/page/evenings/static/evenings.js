// The picture of a page as PNG, made by the browser of the SVG that the box gives.

const SCALE = 2;

for (const link of document.querySelectorAll(".as-png")) {
  link.hidden = false;
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    const address = link.getAttribute("href");
    const answer = await fetch(address);
    if (!answer.ok) return;
    const picture = new Image();
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await answer.text())}`;
    await picture.decode();
    const canvas = document.createElement("canvas");
    canvas.width = picture.naturalWidth * SCALE;
    canvas.height = picture.naturalHeight * SCALE;
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    const file = document.createElement("a");
    file.href = canvas.toDataURL("image/png");
    file.download = `${address.split("/").slice(2).join("-").replace(/\.svg$/, "")}.png`;
    file.click();
  });
}
