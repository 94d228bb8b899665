// SPDX-License-Identifier: Apache-2.0
// Runs in a page.  Returns its layout faults, one line each.
(() => {
  const found = [], root = document.documentElement;
  const shown = e => e.getClientRects().length > 0;
  const plots = [...document.querySelectorAll('.figure svg')].filter(shown);

  // ---- nothing overflows; a table that scrolls does so within its card, with a shadow
  if (root.scrollWidth > innerWidth) found.push(`the page is ${root.scrollWidth} px wide in a window of ${innerWidth}`);
  for (const e of document.querySelectorAll('h1, h2, h3, p, pre, table, .plot, summary')) {
    if (!shown(e) || e.closest('.scroll')) continue;
    const box = e.getBoundingClientRect(), card = (e.closest('.card') || document.body).getBoundingClientRect();
    if (box.right > card.right + 1) found.push(`${e.tagName} "${e.textContent.slice(0, 40)}" ends ${Math.round(box.right - card.right)} px outside of its card`);
  }
  for (const e of document.querySelectorAll('.scroll')) {
    if (e.scrollWidth > e.clientWidth + 1 && !getComputedStyle(e).backgroundImage.includes('gradient')) found.push(`"${e.ariaLabel}" is cut without a sign`);
  }

  // ---- plots: no text is cut or too small, the axes cover the data, every series is named
  for (const svg of plots) {
    const box = svg.viewBox.baseVal, name = svg.getAttribute('aria-label'), scale = svg.getBoundingClientRect().width / box.width;
    const say = words => found.push(`plot "${name}": ${words}`);
    if (!name) say('no words for who cannot see it');
    const texts = [...svg.querySelectorAll('text')];
    for (const t of texts) {
      const b = t.getBoundingClientRect(), s = svg.getBoundingClientRect();
      if (b.left < s.left - 2 || b.right > s.right + 2 || b.top < s.top - 2 || b.bottom > s.bottom + 2) say(`text "${t.textContent}" is cut`);
      if (parseFloat(getComputedStyle(t).fontSize) * scale < 9) say(`text "${t.textContent}" is ${(parseFloat(getComputedStyle(t).fontSize) * scale).toFixed(1)} px high`);
    }
    const rects = texts.map(t => t.getBoundingClientRect());
    for (let i = 0; i < texts.length; i++) for (let j = i + 1; j < texts.length; j++) {
      const a = rects[i], b = rects[j], x = Math.min(a.right, b.right) - Math.max(a.left, b.left), y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (x > 1 && y > 4) say(`text "${texts[i].textContent}" stands on "${texts[j].textContent}"`);
    }
    for (const d of svg.querySelectorAll('.area .paper')) {
      const a = d.getBoundingClientRect();
      for (let i = 0; i < texts.length; i++) if (Math.min(a.right, rects[i].right) - Math.max(a.left, rects[i].left) > 1 && Math.min(a.bottom, rects[i].bottom) - Math.max(a.top, rects[i].top) > 3)
        say(`text "${texts[i].textContent}" stands on the paper's diamond`);
    }
    const known = new Set([...svg.querySelectorAll('.legend')].map(g => g.dataset.of)), used = new Set();
    for (const area of svg.querySelectorAll('.area')) {
      const [x0, y0, x1, y1] = area.dataset.box.split(' ').map(Number), m = 7;
      for (const e of area.querySelectorAll('rect, path, polyline')) {
        const cls = [...e.classList].find(c => /^s\d$|^paper$/.test(c));
        if (cls) used.add(cls);
        const b = e.getBBox(), t = e.transform.baseVal.consolidate(), dx = t ? t.matrix.e : 0, dy = t ? t.matrix.f : 0;
        const mx = e.tagName === 'rect' ? 1 : m, out = b.x + dx < x0 - mx || b.x + dx + b.width > x1 + mx || b.y + dy < y0 - m || b.y + dy + b.height > y1 + m;
        if (out) say(`the axis ends before "${e.textContent || e.getAttribute('points') || ''}"`);
      }
    }
    const panels = svg.querySelectorAll('.area').length > 1; // each has its name above it
    for (const cls of used) if (!known.has(cls) && !(panels && !known.size)) say(`the series ${cls} is not named in a legend`);
  }

  // ---- contrast ratios of WCAG 2: at least 4.5 for text, 3 for lines and areas
  const parse = c => { const n = c.match(/[\d.]+/g).map(Number); return n.length > 3 && n[3] === 0 ? null : n; };
  const light = c => { const [r, g, b] = c.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => p - q); return (y + 0.05) / (x + 0.05); };
  const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c) return c; } return [255, 255, 255]; };
  const seen = new Map();
  for (const e of document.querySelectorAll('h1, h2, h3, p, a, b, span, th, td, summary, pre, code, footer, svg text')) {
    if (!shown(e) || !e.textContent.trim()) continue;
    const style = getComputedStyle(e), colour = parse(e.closest('svg') ? style.fill : style.color), r = ratio(colour, behind(e));
    if (r < 4.5) seen.set(`text of ${e.tagName.toLowerCase()}${e.className.baseVal || e.className ? '.' + (e.className.baseVal || e.className) : ''} has a contrast of ${r.toFixed(2)}, less than 4.5`, 1);
  }
  const style = getComputedStyle(root), probe = document.createElement('i');
  document.body.append(probe);
  for (const svg of plots.slice(0, 1)) for (let i = 0; i < 8; i++) {
    probe.style.color = `var(--s${i})`;
    const r = ratio(parse(getComputedStyle(probe).color), behind(svg));
    if (r < 3) seen.set(`the colour of series ${i} has a contrast of ${r.toFixed(2)}, less than 3`, 1);
  }
  probe.remove();
  found.push(...seen.keys());
  return [...new Set(found)];
})()
