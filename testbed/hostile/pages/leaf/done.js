const patience = Number(document.currentScript.dataset.patience);
addEventListener("load", () => setTimeout(() => {
  const mark = document.createElement("p");
  mark.id = "done";
  mark.textContent = "All routes were tried.";
  document.body.append(mark);
}, patience));
