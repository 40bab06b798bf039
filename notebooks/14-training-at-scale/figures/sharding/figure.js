// One training step of several workers: what each holds, from nothing shared to everything, and what they send.
"use strict";

// Bytes of one worker in each part of a step. `stage` 0: data-parallel; 1: the optimiser's state is shared out; 2: the
// gradients too; 3: the weights too. Four bytes a number, two numbers a weight for the optimiser.
Live.perWorker = (parameters, layers, workers, stage) => {
  const whole = 4 * parameters, share = whole / workers, layer = whole / layers;
  const optimiser = 2 * (stage >= 1 ? share : whole);
  const weights = stage >= 3 ? share : whole;
  const gathered = stage >= 3 && workers > 1 ? layer : 0; // one layer at a time is whole
  const own = stage >= 2 ? share : whole; // gradients that stay
  const passing = stage >= 2 && workers > 1 ? layer : 0; // one layer's gradients before they are sent
  const round = (workers - 1) / workers * whole; // what one gather or one reduction of all costs each worker
  return {
    moments: [
      { name: "between steps", weights, gathered: 0, gradients: 0, optimiser, sent: 0 },
      { name: "forward", weights, gathered, gradients: 0, optimiser, sent: stage >= 3 ? round : 0 },
      { name: "backward", weights, gathered, gradients: own + passing, optimiser, sent: (stage >= 3 ? round : 0) + (stage >= 2 ? round : 0) },
      { name: "exchange", weights, gathered: 0, gradients: own, optimiser, sent: stage === 0 ? 2 * round : stage === 1 ? round : 0 },
      { name: "update", weights, gathered: 0, gradients: own, optimiser, sent: stage === 1 || stage === 2 ? round : 0 },
    ],
    sent: stage >= 3 ? 3 * round : 2 * round,
  };
};

Live.figure("sharding", (ui, { parameters, layers, counts, workers: first, stage: begin, moment: from, room }) => {
  const { text, box, line, number } = Live;
  const STAGES = ["nothing (data-parallel)", "optimiser state", "and gradients", "and weights (fully sharded)"];
  const SAID = {
    "between steps": ["Each worker waits, with this in its memory."],
    forward: ["Each worker runs the forward pass on its own part of the batch.", null, null, "Before each layer, the workers gather its weights. After it, they drop them again."],
    backward: ["Each worker computes the gradients of its own part of the batch.", null, "As soon as a layer's gradients are ready, they are added up, and each worker keeps its share.", "Each layer's weights are gathered once more. Its gradients are added up, and each worker keeps its share."],
    exchange: ["All-reduce: all gradients are added up, and every worker gets the sums.", "Reduce-scatter: gradients are added up, and each worker gets the sums of its share.", "Nothing is left to exchange."],
    update: ["Every worker makes the same update.", "Each worker updates its share of the weights. Then the shares are gathered.", null, "Each worker updates its share of the weights. Nothing is sent."],
  };
  let which = counts.indexOf(first), stage = begin, moment = from;
  const team = ui.picture(), bars = ui.picture();
  const GB = (bytes) => `${number(bytes / 1e9, 1)} GB`;

  function draw() {
    const workers = counts[which], { moments, sent } = Live.perWorker(parameters, layers, workers, stage);
    const now = moments[moment], held = now.weights + now.gathered + now.gradients + now.optimiser;
    const most = Math.max(...moments.map((m) => m.weights + m.gathered + m.gradients + m.optimiser));
    const drawn = Math.min(workers, 4), step = 356 / drawn, wide = Math.min(step - 12, 110);
    const column = (x, y, high, part, of, kind, place) => [
      box(x, y, wide, high, "track"), part ? box(x, y + (of ? (high * place) / workers : 0), wide, of ? high / workers : high, `cell ${kind}`) : null,
    ];
    team.draw(
      `${workers} workers, ${now.name}. Bytes of each: weights ${now.weights + now.gathered}, gradients ${now.gradients}, optimiser ${now.optimiser}.`,
      262,
      text(0, 14, workers > drawn ? `Workers 1 to ${drawn} of ${workers}` : `${workers} worker${workers > 1 ? "s" : ""}`, "name"),
      Array.from({ length: drawn }, (_, i) => {
        const x = i * step + 2;
        return [
          text(x, 38, `worker ${i + 1}`, "strong"),
          text(x, 58, "weights", "q"), column(x, 64, 36, true, stage >= 3, "q", i),
          now.gathered ? box(x, 64 + 12, wide, 36 / layers * 3, "mark") : null,
          text(x, 120, "gradients", "k"), column(x, 126, 36, now.gradients > 0, stage >= 2, "k", i),
          text(x, 182, drawn > 3 ? "optimiser" : "optimiser state", "v"), column(x, 188, 60, true, stage >= 1, "v", i),
        ];
      }));
    const top = Math.max(room, most), scale = 356 / top;
    const parts = [["q", now.weights + now.gathered], ["k", now.gradients], ["v", now.optimiser]];
    let x = 0;
    bars.draw(
      `One worker holds ${held} bytes now and ${most} at most. It sends ${sent} bytes in a step, ${now.sent} of them in this part.`,
      262,
      text(0, 14, "One worker's memory", "name"),
      text(0, 42, now.name), text(356, 42, GB(held), "end strong"), box(0, 48, 356, 24, "track"),
      parts.map(([kind, bytes]) => { const from_ = x; x += bytes * scale; return box(from_, 48, bytes * scale, 24, `cell ${kind}`); }),
      text(0, 98, "most in the step"), text(356, 98, GB(most), "end strong"), box(0, 104, 356, 24, "track"), box(0, 104, most * scale, 24, "cell weight"),
      line(room * scale, 44, room * scale, 132, "here"), text(Math.min(room * scale, 356), 148, `available: ${GB(room)}`, "end"),
      text(0, 184, "Sent by each worker in a step", "name"), text(0, 208, now.name), text(356, 208, GB(now.sent), "end strong"), box(0, 214, 356, 10, "track"),
      box(0, 214, (356 * now.sent) / (12 * parameters), 10, "cell one"),
      text(0, 244, "in total"), text(356, 244, GB(sent), "end strong"), box(0, 250, 356, 10, "track"), box(0, 250, (356 * sent) / (12 * parameters), 10, "cell one"));
    let told = null;
    SAID[now.name].slice(0, stage + 1).forEach((said) => { told = said ?? told; });
    if (workers === 1 && now.name !== "between steps") told = "One worker alone sends nothing.";
    ui.say(`${told} At most ${GB(most)} a worker, which ${most > room ? "does not fit" : "fits"}.`);
  }

  ui.choice({ label: "Sharded", options: STAGES.map((said, i) => [i, said]), value: stage, change: (i) => { stage = Number(i); draw(); } });
  ui.slider({ label: "Workers", min: 0, max: counts.length - 1, value: which, show: (i) => `${counts[i]}`, change: (i) => { which = i; draw(); } });
  const slider = ui.slider({ label: "Part of the step", min: 0, max: 4, value: moment, show: (i) => `${i + 1} of 5`, change: (i) => { moment = i; draw(); } });
  ui.play({ slider, change: (i) => { moment = i; draw(); }, wait: 1200 });
  ui.hint("How many workers does each way of sharing need before the model fits?");
  draw();
});
