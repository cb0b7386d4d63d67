// Marks the page as done: once the public address was asked for by this route, and some time after that.
const { route, patience, awaited } = document.currentScript.dataset;
const MOST_POLLS = 150;

const pause = (ms) => new Promise((go) => setTimeout(go, ms));

const arrived = async () => {
  for (let poll = 0; poll < MOST_POLLS; poll += 1) {
    const answer = await fetch(`/arrived?route=${route}`);
    if ((await answer.text()) === "yes") return;
    await pause(100);
  }
};

addEventListener("load", async () => {
  if (awaited !== undefined) await arrived();
  await pause(Number(patience));
  const mark = document.createElement("p");
  mark.id = "done";
  mark.textContent = "All routes were tried.";
  document.body.append(mark);
});
