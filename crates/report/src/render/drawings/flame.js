// Makes flame graphs alive: click or Enter zooms, "/" or Ctrl-F searches, Escape resets, arrows move, "i" turns it over,
// "w" takes the widths of the other profile. Everything stands in the drawing already; nothing is loaded and nothing of
// what it says is ever read as markup.
(function () {
  'use strict';
  document.querySelectorAll('g.flame').forEach(function (flame) {
    var svg = flame.closest('svg');
    var isFile = document.documentElement === svg;
    var scope = isFile ? document : (svg.closest('figure') || svg);
    var geometry = flame.dataset.geometry.split(' ').map(Number);
    var left = geometry[0], wide = geometry[1], top = geometry[2], row = geometry[3], column = geometry[4];
    var rows = Number(flame.dataset.rows);
    var totals = flame.dataset.totals.split(' ').map(Number);
    var status = flame.querySelector('g.status text');
    var shown = totals.length - 1, isTurned = false, typed = null, sought = '';
    var bars = Array.from(flame.querySelectorAll('g.bar')).map(function (node, place) {
      var lines = node.querySelector('title').textContent.split('\n');
      var numbers = node.dataset.spans.split(' ').map(Number);
      return {
        node: node, place: place, end: place + 1, depth: Number(node.dataset.depth), caller: null,
        box: node.querySelector('rect'), label: node.querySelector('text'), name: lines[0], said: lines.join(', '),
        start: numbers.filter(function (_, at) { return at % 2 === 0; }),
        samples: numbers.filter(function (_, at) { return at % 2 === 1; })
      };
    });
    if (bars.length === 0) { return; }
    var open = [];
    bars.forEach(function (bar) {
      open.length = bar.depth;
      bar.caller = open[bar.depth - 1] || null;
      open.forEach(function (above) { above.end = bar.place + 1; });
      open.push(bar);
      bar.node.setAttribute('tabindex', '-1');
      bar.node.setAttribute('role', 'img');
      bar.node.setAttribute('aria-label', bar.said);
    });
    var zoomed = bars[0], focused = bars[0];
    var byNode = new Map(bars.map(function (bar) { return [bar.node, bar]; }));

    function isWithin(bar, above) { return bar.place >= above.place && bar.place < above.end; }

    function fitted(name, pixels) {
      var room = Math.floor((pixels - 6) / column), letters = Array.from(name);
      if (room < 3) { return ''; }
      if (letters.length <= room) { return name; }
      var end = Math.floor((room - 1) / 2);
      return letters.slice(0, room - 1 - end).join('') + '…' + (end > 0 ? letters.slice(-end).join('') : '');
    }

    function place(bar) {
      var isAbove = isWithin(zoomed, bar), whole = zoomed.samples[shown];
      var from = isAbove ? 0 : (bar.start[shown] - zoomed.start[shown]) / whole;
      var share = isAbove ? 1 : bar.samples[shown] / whole;
      var isGone = !(isAbove || isWithin(bar, zoomed)) || share * wide < 0.2;
      bar.node.classList.toggle('gone', isGone);
      bar.node.classList.toggle('above', isAbove && bar !== zoomed);
      if (isGone) { return; }
      var x = left + from * wide, y = top + (isTurned ? bar.depth : rows - 1 - bar.depth) * row;
      bar.box.setAttribute('x', x.toFixed(2));
      bar.box.setAttribute('y', y.toFixed(2));
      bar.box.setAttribute('width', (share * wide).toFixed(2));
      bar.label.setAttribute('x', (x + 3).toFixed(2));
      bar.label.setAttribute('y', (y + row - 5.5).toFixed(2));
      bar.label.textContent = fitted(bar.name, share * wide);
    }

    function draw() {
      if (!(zoomed.samples[shown] > 0)) { zoomed = bars[0]; }
      bars.forEach(place);
    }

    // The share of all samples that are in what matches or below it, each counted once.
    function search() {
      var pattern = sought.toLowerCase(), samples = 0, found = 0, past = 0;
      flame.classList.toggle('searched', pattern !== '');
      bars.forEach(function (bar) {
        var isFound = pattern !== '' && bar.name.toLowerCase().includes(pattern);
        bar.node.classList.toggle('found', isFound);
        if (isFound) { found += 1; }
        if (isFound && bar.place >= past) {
          samples += bar.samples[shown];
          past = bar.end;
        }
      });
      var share = totals[shown] > 0 ? (100 * samples / totals[shown]).toFixed(2) : '0.00';
      var said = found === 0 ? 'in none' : 'in ' + found + (found === 1 ? ' bar, ' : ' bars, ') + share + ' %';
      status.textContent = typed !== null ? 'search: ' + sought + '_ ' + (pattern === '' ? '' : said)
        : (pattern === '' ? '' : '“' + sought + '” ' + said);
    }

    function focus(bar) {
      focused.node.setAttribute('tabindex', '-1');
      focused = bar;
      focused.node.setAttribute('tabindex', '0');
      focused.node.focus();
      // What is focused is on the screen, and says its numbers to those who cannot point at it.
      if (typed === null && sought === '') { status.textContent = bar.said; }
    }

    function isShown(bar) { return !bar.node.classList.contains('gone'); }

    function zoom(bar) {
      zoomed = bar.samples[shown] > 0 ? bar : bars[0];
      draw();
      focus(zoomed);
    }

    function reset() {
      typed = null;
      sought = '';
      zoomed = bars[0];
      draw();
      search();
    }

    // Up is towards callees where the trunk is at the bottom.
    function move(key) {
      var towardsCallees = (key === 'ArrowUp') !== isTurned;
      var next = null;
      if (key === 'ArrowLeft' || key === 'ArrowRight') {
        var beside = bars.filter(function (bar) { return bar.depth === focused.depth && isShown(bar); });
        next = beside[beside.indexOf(focused) + (key === 'ArrowRight' ? 1 : -1)];
      } else if (towardsCallees) {
        bars.forEach(function (bar) {
          if (bar.caller === focused && isShown(bar) && (next === null || bar.samples[shown] > next.samples[shown])) {
            next = bar;
          }
        });
      } else {
        next = focused.caller;
      }
      if (next) { focus(next); }
    }

    var actions = {
      search: function () {
        // Where there is no keyboard a dialogue asks.
        var asked = window.prompt('Search for a part of a name:', sought);
        typed = null;
        if (asked !== null) { sought = asked; }
        search();
      },
      turn: function () { isTurned = !isTurned; draw(); },
      reset: reset,
      widths: function () { shown = shown === 0 ? totals.length - 1 : 0; draw(); search(); }
    };

    function type(event) {
      if (event.key === 'Escape') { reset(); }
      else if (event.key === 'Enter') { typed = null; search(); }
      else if (event.key === 'Backspace') { sought = Array.from(sought).slice(0, -1).join(''); search(); }
      else if (Array.from(event.key).length === 1 && !event.ctrlKey && !event.metaKey) { sought += event.key; search(); }
      else { return; }
      event.preventDefault();
    }

    // Where nothing has the focus yet, the first graph of a page has the keys.
    var isFirst = document.querySelector('g.flame') === flame;
    document.addEventListener('keydown', function (event) {
      var target = event.target, isOwn = scope === document || scope.contains(target);
      if (!isOwn && !(isFirst && (target === document.body || target === document.documentElement))) { return; }
      var isFind = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f';
      if (typed !== null) { type(event); return; }
      if (isFind || event.key === '/') { typed = true; sought = ''; search(); }
      else if (event.ctrlKey || event.metaKey || event.altKey) { return; }
      else if (event.key === 'Escape') { reset(); }
      else if (event.key === 'i') { actions.turn(); }
      else if (event.key === 'w' && totals.length > 1) { actions.widths(); }
      else if (event.key === 'Enter' || event.key === ' ') {
        var button = event.target.closest ? event.target.closest('[data-do]') : null;
        if (button) { actions[button.dataset.do](); } else { zoom(focused); }
      }
      else if (event.key.indexOf('Arrow') === 0) { move(event.key); }
      else { return; }
      event.preventDefault();
    });
    flame.addEventListener('click', function (event) {
      var button = event.target.closest('[data-do]'), bar = byNode.get(event.target.closest('g.bar'));
      if (button) { actions[button.dataset.do](); }
      if (bar) { zoom(bar); }
    });

    // A screen reader or a script may put the focus elsewhere: arrows go on from there.
    flame.addEventListener('focusin', function (event) {
      var bar = byNode.get(event.target);
      if (bar && bar !== focused) {
        focused.node.setAttribute('tabindex', '-1');
        focused = bar;
        focused.node.setAttribute('tabindex', '0');
      }
    });

    svg.setAttribute('role', 'group');
    flame.classList.add('live');
    bars[0].node.setAttribute('tabindex', '0');
  });
})();
