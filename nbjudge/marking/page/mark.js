// The marking page: shows one answer at a time, and saves what the marker chooses.
"use strict";

const $ = (id) => document.getElementById(id);
const SIGNS = { marked: "✓", again: "↻", open: "○", nothing: "–" };
const state = { question: null, order: [], at: null, answer: null, draft: null, drafts: new Map() };

// -- talking to the server --------------------------------------------------------------------

async function ask(path, body) {
  const how = body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, how);
  } catch {
    throw new Error("The marking page's program does not answer. Is it still running?");
  }
  const content = await answer.json();
  if (!answer.ok && answer.status !== 409) throw new Error(content.error || answer.statusText);
  return { conflict: answer.status === 409, ...content };
}

function about(student) {
  return new URLSearchParams({ question: state.question.id, student });
}

// -- showing ----------------------------------------------------------------------------------

const points = (value) => String(Math.round(value * 100) / 100).replace("-", "−");

const worth = (value) => `${points(value)} ${value === 1 ? "point" : "points"}`;

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// `html` comes cleaned from the server: words, tables and code, no links, styles or scripts.
async function show(place, html) {
  place.innerHTML = html;
  await typeset([place]);
}

// One after another: MathJax works on one thing at a time.
let typesetting = Promise.resolve();

function typeset(places) {
  if (!window.MathJax?.startup?.promise) return undefined;
  typesetting = typesetting
    .then(() => MathJax.startup.promise)
    .then(() => MathJax.typesetClear(places))
    .then(() => MathJax.typesetPromise(places))
    .catch((error) => say(`A formula cannot be shown: ${error.message}`));
  return typesetting;
}

function hidden() {
  return $("hide").checked;
}

function named(student) {
  const at = state.order.findIndex((one) => one.student === student);
  if (at < 0) return "";
  return hidden() ? `Learner ${at + 1}` : state.order[at].name;
}

function say(text) {
  $("status").textContent = text;
}

// Without names the order must not give them away either.
function inOrder(learners) {
  const key = hidden() ? "student" : "name";
  return [...learners].sort((a, b) => (a[key] < b[key] ? -1 : 1));
}

function showAround(around) {
  state.question = { ...state.question, ...around };
  state.order = inOrder(around.learners);
  const all = around.marked + around.open;
  $("progress").textContent = `${around.marked} of ${all} marked`;
  $("bar").max = Math.max(all, 1);
  $("bar").value = around.marked;
  for (const draft of [state.draft, ...state.drafts.values()]) withoutDeleted(draft?.items);
  showLearners();
  showItems();
  showDeleted();
  showSchemeNote();
  showRequests();
}

function withoutDeleted(items = {}) {
  for (const item of state.question.deleted) delete items[item.number];
  return items;
}

function showSchemeNote() {
  const { agrees, adds_up: sum, most } = state.question;
  $("scheme-note").textContent = [
    agrees ? "" : "The mark scheme in the notebook has changed since marking began. Edit the items below if they should follow.",
    sum === most ? "" : `The items add up to ${worth(sum)}, the question carries ${points(most)}.`,
  ].join(" ").trim();
  $("scheme-note").hidden = !$("scheme-note").textContent;
}

function showLearners() {
  $("learners").replaceChildren(
    ...state.order.map((one) => {
      const draft = state.drafts.has(keyOf(one.student)) ? " · not saved" : "";
      const given = one.standing === "open" ? "" : ` · ${points(one.points)}`;
      const option = element("option", `${SIGNS[one.standing]} ${named(one.student)}${given}${draft}`);
      option.value = one.student;
      return option;
    }),
  );
  if (state.at) $("learners").value = state.at;
}

function showStanding() {
  const answer = state.answer;
  const by = answer.by ? ` by ${answer.by}, ${new Date(answer.time).toLocaleString()}` : "";
  const extra = answer.extra ? ` Extra credit of ${points(answer.extra)} is added to it.` : "";
  $("standing").textContent = {
    marked: `Marked${by || ", but by whom is not on record"}: ${worth(answer.points ?? 0)}.`,
    again: `Marked${by}: ${worth(answer.points ?? 0)}, before the work changed. Look again and save.`,
    open: "Not marked yet.",
    nothing: `Nothing to mark: ${worth(answer.points ?? 0)} given automatically.`,
  }[answer.standing] + extra;
}

function showItems() {
  const rows = state.question.items.map(itemRow);
  $("items").replaceChildren(...rows);
  showChosen();
  typeset(rows);
}

function showChosen() {
  for (const item of state.question.items) {
    const share = state.draft?.items[item.number] ?? 0;
    const full = $(`item-${item.number}`);
    full.checked = share === 1;
    $(`half-${item.number}`).checked = share === 0.5;
    full.closest("li").classList.toggle("on", share > 0);
  }
  showTotal();
}

function itemRow(item) {
  const row = element("li");
  const box = checkbox(`item-${item.number}`, () => choose(item.number, 1));
  const text = element("label", undefined, "text");
  text.htmlFor = box.id;
  text.innerHTML = item.html;
  if (item.added) text.append(element("span", `added by ${item.added}`, "added"));
  const half = checkbox(`half-${item.number}`, () => choose(item.number, 0.5));
  half.setAttribute("aria-label", `Half of item ${item.number}`);
  const halfLabel = element("label", `${points(item.points / 2)} `);
  halfLabel.append(half);
  const edit = element("button", "Edit");
  edit.type = "button";
  edit.setAttribute("aria-label", `Edit item ${item.number}`);
  edit.addEventListener("click", () => row.querySelector(".edit") ?? row.append(editor(item)));
  const remove = element("button", "Delete");
  remove.type = "button";
  remove.setAttribute("aria-label", `Delete item ${item.number}`);
  remove.addEventListener("click", () => askToDelete(row, item));
  const fullLabel = element("label", `${points(item.points)} `);
  fullLabel.append(box);
  const tools = element("div", undefined, "tools");
  tools.append(fullLabel, halfLabel, edit, remove);
  row.append(element("span", String(item.number), "number"), text, tools);
  return row;
}

function checkbox(id, changed) {
  const box = element("input");
  box.type = "checkbox";
  box.id = id;
  box.addEventListener("change", changed);
  return box;
}

function editor(item) {
  const place = element("div", undefined, "edit");
  const text = element("textarea");
  text.rows = 3;
  text.value = item.text;
  text.setAttribute("aria-label", "Text");
  const number = element("input");
  number.type = "number";
  number.step = "any";
  number.value = item.points;
  number.setAttribute("aria-label", "Points");
  const save = element("button", "Save, and change every mark given with it");
  save.type = "button";
  save.addEventListener("click", () => saveItem(item.number, text.value, number.valueAsNumber));
  place.append(text, number, save);
  return place;
}

function askToDelete(row, item) {
  row.querySelector(".delete")?.remove();
  const uses = item.used === 1 ? "1 mark was" : `${item.used || "No"} ${item.used ? "marks were" : "mark was"}`;
  const place = element("div", undefined, "delete row warning");
  const after = item.used ? " The points will be computed without it." : "";
  place.append(element("p", `${uses} given with it.${after}`));
  const yes = element("button", "Delete for all learners");
  yes.type = "button";
  yes.addEventListener("click", () => changeItem("delete", { number: item.number, used: item.used }));
  const no = element("button", "Keep");
  no.type = "button";
  no.addEventListener("click", () => place.remove());
  place.append(yes, no);
  row.append(place);
  yes.focus();
}

function showDeleted() {
  const { deleted } = state.question;
  $("deleted").hidden = !deleted.length;
  $("deleted").querySelector("summary").textContent = `Deleted items: ${deleted.length}`;
  $("deleted").querySelector("ul").replaceChildren(...deleted.map((item) => {
    const row = element("li");
    const text = element("div", undefined, "text");
    text.innerHTML = item.html;
    const back = element("button", "Bring back");
    back.type = "button";
    back.setAttribute("aria-label", `Bring back item ${item.number}`);
    back.addEventListener("click", () => changeItem("bring-back", { number: item.number }));
    row.append(text, `${worth(item.points)}, deleted by ${item.deleted} `, back);
    return row;
  }));
}

function showTotal() {
  const { items, most } = state.question;
  const draft = state.draft ?? { items: {}, adjustment: 0 };
  const given = items.reduce((sum, one) => sum + one.points * (draft.items[one.number] ?? 0), 0);
  const bounded = Math.min(Math.max(given + draft.adjustment, 0), most);
  $("total").textContent = `${points(bounded)} of ${points(most)}`;
}

function showRequests() {
  const own = (one) => Number(one.student === state.at);
  const rows = [...state.question.requests].sort((a, b) => own(b) - own(a)).map(requestRow);
  const left = state.question.requests.filter((one) => !one.answer).length;
  const heading = element("h2", `Regrade requests: ${rows.length}, ${left} without an answer`);
  $("requests").replaceChildren(heading, ...rows, askRow());
}

function requestRow(request) {
  const row = element("div", undefined, "request");
  const whose = named(request.student) || (hidden() ? "A learner" : request.name);
  row.append(element("p", `${whose}, ${request.exercise}, ${request.asked.slice(0, 10)}`));
  row.append(element("p", request.text, "words"));
  const answer = element("textarea");
  answer.rows = 2;
  answer.value = request.answer;
  answer.setAttribute("aria-label", "Your answer; the learner sees it");
  const save = element("button", request.answer ? "Change the answer" : "Answer");
  save.type = "button";
  save.addEventListener("click", () =>
    change("reply", { id: request.id, answer: answer.value }, "The answer is on record."),
  );
  const go = element("button", "Show the learner's answer");
  go.type = "button";
  go.addEventListener("click", () => attempt(() => open(request.student)));
  const tools = element("div", undefined, "row");
  tools.append(save, go);
  row.append(answer, tools);
  if (request.answer) row.append(element("p", `Answered by ${request.marker}, ${request.answered.slice(0, 10)}`));
  return row;
}

function askRow() {
  const place = element("details");
  place.append(element("summary", "Enter a request of this learner"));
  const exercise = element("select");
  exercise.setAttribute("aria-label", "Exercise");
  for (const name of state.exercises) exercise.append(element("option", name));
  exercise.value = state.question.exercise;
  const text = element("textarea");
  text.rows = 2;
  text.setAttribute("aria-label", "What the learner says");
  const save = element("button", "Put it on record");
  save.type = "button";
  save.addEventListener("click", () =>
    change("ask", { student: state.at, exercise: exercise.value, text: text.value }, "The request is on record."),
  );
  place.append(exercise, text, save);
  return place;
}

// -- marking ----------------------------------------------------------------------------------

const keyOf = (student) => `${state.question.id} ${student}`;

function changed() {
  state.drafts.set(keyOf(state.at), state.draft);
  showLearners();
}

function choose(number, share) {
  const now = state.draft.items[number];
  if (now === share) delete state.draft.items[number];
  else state.draft.items[number] = share;
  changed();
  showChosen();
}

function showDraft() {
  $("adjustment").value = state.draft.adjustment;
  $("comment").value = state.draft.comment;
  showChosen();
}

function take(answer) {
  state.answer = answer;
  state.draft = state.drafts.get(keyOf(answer.student)) ?? {
    items: withoutDeleted({ ...answer.items }),
    adjustment: answer.adjustment,
    comment: answer.comment,
  };
  showStanding();
  showDraft();
}

async function open(student) {
  if (!student) return;
  state.at = student;
  $("conflict").hidden = true;
  const answer = await ask(`answer?${about(student)}`);
  if (state.at !== student) return; // the marker has gone on
  $("learners").value = student;
  $("whole").href = `page?${about(student)}`;
  take(answer);
  showRequests();
  showTitle();
  await show($("answer"), answer.html || "<p>Nothing of this work could be read.</p>");
}

function showTitle() {
  document.title = `${named(state.at)}: ${state.question.title}`;
}

async function save(more = {}) {
  const student = state.at;
  const body = { question: state.question.id, student, seen: state.answer.seen, ...state.draft, ...more };
  const content = await ask("mark", body);
  if (content.conflict && content.answer) {
    conflict(content.answer);
    return false;
  }
  if (content.conflict) {
    showAround(content);
    say(`Not saved. ${content.error} Look at the mark and save it again.`);
    return false;
  }
  state.drafts.delete(keyOf(student));
  $("conflict").hidden = true;
  showAround(content);
  take(content.answer);
  say(`Saved: ${named(student)}, ${content.answer.standing === "open" ? "no mark" : points(content.answer.points)}.`);
  return true;
}

function conflict(theirs) {
  const by = theirs.by ? ` by ${theirs.by}, ${new Date(theirs.time).toLocaleString()}` : "";
  const mark = theirs.standing === "open" ? "no mark" : worth(theirs.points);
  const comment = theirs.comment ? `, with the comment: ${theirs.comment}` : ", without a comment";
  $("conflict-text").textContent = `Not saved. This mark was changed${by} since you opened it: ${mark}${comment}.`;
  $("conflict").hidden = false;
  say("");
  $("theirs").onclick = () => attempt(async () => {
    state.drafts.delete(keyOf(theirs.student));
    $("conflict").hidden = true;
    showAround(await ask(`question?${about("")}`));
    take(theirs);
  });
  $("mine").onclick = () => attempt(async () => {
    state.answer = theirs;
    await save();
  });
}

async function saveAndGoOn() {
  if (await save()) await open(following());
}

function following() {
  const from = state.order.findIndex((one) => one.student === state.at);
  const after = [...state.order.slice(from + 1), ...state.order.slice(0, from)];
  return after.find((one) => ["open", "again"].includes(one.standing))?.student;
}

function step(by) {
  const at = state.order.findIndex((one) => one.student === state.at) + by;
  return open(state.order[at]?.student);
}

async function change(path, body, done) {
  await attempt(async () => {
    showAround(await ask(path, { question: state.question.id, ...body }));
    say(done);
  });
}

const saveItem = (number, text, given) => changeItem("item", { number, text, points: given });

async function changeItem(path, body) {
  await attempt(async () => {
    const content = await ask(path, { question: state.question.id, ...body });
    showAround(content);
    if (content.conflict) return say(`Not deleted: ${content.changed} marks use the item by now, not ${body.used}.`);
    const answer = await ask(`answer?${about(state.at)}`);
    take(answer);
    const marks = content.changed === 1 ? "1 mark has" : `${content.changed} marks have`;
    return say(`${marks} changed with the item.`);
  });
}

async function attempt(what) {
  try {
    await what();
  } catch (error) {
    say(error.message);
  }
}

// -- starting, and keys ------------------------------------------------------------------------

async function openQuestion(id) {
  state.question = { id };
  state.at = state.answer = state.draft = null;
  const question = await ask(`question?${about("")}`);
  state.question = question;
  $("title").textContent = `${state.problemSet}: ${question.title}`;
  $("model-answer").hidden = !question.model;
  showAround(question);
  show($("remarks"), question.remarks);
  show($("question"), question.html);
  show($("model"), question.model);
  const first = state.order.find((one) => ["open", "again"].includes(one.standing)) ?? state.order[0];
  if (first) await open(first.student);
  else $("answer").textContent = "No work was graded.";
}

async function start() {
  $("hide").checked = sessionStorage.getItem("hide") === "yes";
  const content = await ask("questions");
  Object.assign(state, { problemSet: content.problem_set, exercises: content.exercises });
  $("marker").textContent = `You mark as ${content.marker}`;
  $("questions").replaceChildren(
    ...content.questions.map((one) => {
      const option = element("option", one.title);
      option.value = one.id;
      return option;
    }),
  );
  $("questions-label").hidden = content.questions.length < 2;
  await openQuestion(content.questions[0].id);
}

const KEYS = {
  n: () => step(1),
  p: () => step(-1),
  c: () => $("comment").focus(),
  a: () => $("adjustment").focus(),
  h: () => $("hide").click(),
  Enter: saveAndGoOn,
};

function pressed(event) {
  const field = event.target.closest("textarea, input[type=number], select");
  if (event.key === "Escape" && field) return field.blur();
  if (event.key === "Enter" && event.ctrlKey && event.target === $("comment")) {
    event.preventDefault();
    return attempt(saveAndGoOn);
  }
  // The fields for an item have a button of their own.
  if (event.key === "Enter" && field?.type === "number" && field !== $("adjustment")) {
    event.preventDefault();
    return field.closest(".edit, details").querySelector("button").click();
  }
  if (field || event.ctrlKey || event.altKey || event.metaKey || !state.draft) return undefined;
  const digit = /^Digit([1-9])$/.exec(event.code) ?? /^Numpad([1-9])$/.exec(event.code);
  if (digit && state.question.items.some((one) => one.number === Number(digit[1]))) {
    event.preventDefault();
    return choose(Number(digit[1]), event.shiftKey ? 0.5 : 1);
  }
  // Enter presses a button or opens a link that has the focus.
  if (event.key === "Enter" && event.target.closest("button, a, summary")) return undefined;
  if (KEYS[event.key] && !event.shiftKey) {
    event.preventDefault();
    return attempt(KEYS[event.key]);
  }
  return undefined;
}

document.addEventListener("keydown", pressed);
$("right").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(saveAndGoOn);
});
$("adjustment").addEventListener("input", () => {
  state.draft.adjustment = $("adjustment").valueAsNumber || 0;
  changed();
  showTotal();
});
$("comment").addEventListener("input", () => {
  state.draft.comment = $("comment").value;
  changed();
});
$("withdraw").addEventListener("click", () => attempt(() => save({ withdraw: true })));
$("previous").addEventListener("click", () => attempt(() => step(-1)));
$("next").addEventListener("click", () => attempt(() => step(1)));
$("learners").addEventListener("change", () => attempt(() => open($("learners").value)));
$("questions").addEventListener("change", () => attempt(() => openQuestion($("questions").value)));
$("add-save").addEventListener("click", () => saveItem(0, $("add-text").value, $("add-points").valueAsNumber));
$("hide").addEventListener("change", () => {
  sessionStorage.setItem("hide", hidden() ? "yes" : "no");
  say("");
  if (!state.at) return;
  showAround(state.question);
  showTitle();
});
window.addEventListener("beforeunload", (event) => {
  if (state.drafts.size) event.preventDefault();
});
attempt(start);
