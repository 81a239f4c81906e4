// What can be measured of a page as it is shown, for test_looks.py: one object of functions.
({
  // What is wider than the window, or than what it stands in.
  tooWide() {
    const { scrollWidth, clientWidth } = document.documentElement;
    const parts = [...document.querySelectorAll('.btn, .pills, .pills span, h1, h2, label, p, td, dd, dt, li, small')];
    const cut = parts.filter((part) => {
      const { display, textOverflow } = getComputedStyle(part);
      return part.scrollWidth > part.clientWidth + 1 && display !== 'inline' && textOverflow !== 'ellipsis';
    });
    const whole = scrollWidth > clientWidth ? [`the page: ${scrollWidth} px`] : [];
    for (const box of document.querySelectorAll('dialog[open]'))
      if (box.scrollWidth > box.clientWidth) whole.push(`a window: ${box.scrollWidth} px`);
    return [...whole, ...cut.filter((part) => !part.closest('.unseen')).map((part) => part.outerHTML)];
  },

  // What is touched and is less than 44 px high or wide, or has no name. Nine numbers side by side cannot be that wide;
  // links within a sentence or a table are as high as their line.
  hardToTouch() {
    const controls = [...document.querySelectorAll('button:not(.number), a[href], input, select, textarea, summary')];
    const windows = [...document.querySelectorAll('dialog[open]')];
    const reachable = (part) => (!windows.length || windows.at(-1).contains(part)) && !part.closest('[inert], .unseen');
    const size = (part) => {
      const all = [part, ...(part.labels ?? [])].map((one) => one.getBoundingClientRect());
      return [Math.max(...all.map(({ width }) => width)), Math.max(...all.map(({ height }) => height))];
    };
    const named = (part) =>
      [part.getAttribute('aria-label'), part.innerText, part.title, ...[...(part.labels ?? [])].map((one) => one.innerText)].some(
        (text) => text?.trim(),
      );
    return controls
      .filter((part) => part.checkVisibility() && reachable(part) && getComputedStyle(part).display !== 'inline')
      .filter((part) => size(part).some((length) => length < 43.5) || !named(part))
      .map((part) => `${size(part).map(Math.round)} ${part.outerHTML.slice(0, 160)}`);
  },

  // All that is read, or read out.
  said() {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const said = [];
    while (texts.nextNode()) said.push(texts.currentNode.data.trim());
    for (const name of ['aria-label', 'title', 'placeholder'])
      for (const part of document.querySelectorAll(`[${name}]`)) said.push(part.getAttribute(name));
    return said.filter(Boolean);
  },

  // Texts that have too little contrast with what is behind them: under 4.5 : 1, large ones under 3 : 1.
  tooPale() {
    for (const one of document.getAnimations())
      if (one.effect.getComputedTiming().endTime < Infinity) one.finish(); // no colour on its way to another
    const parse = (colour) => {
      const numbers = colour.match(/-?[\d.]+(e-?\d+)?/g).map(Number);
      const scale = colour.startsWith('color(') ? 1 : 255;
      return { rgb: numbers.slice(0, 3).map((value) => value / scale), alpha: numbers[3] ?? 1 };
    };
    const over = ({ rgb, alpha }, below) => rgb.map((value, i) => value * alpha + below[i] * (1 - alpha));
    const luminance = (rgb) => {
      const [r, g, b] = rgb.map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (one, other) => {
      const [most, least] = [luminance(one), luminance(other)].sort((p, q) => q - p);
      return (most + 0.05) / (least + 0.05);
    };
    const behind = (part) =>
      part ? over(parse(getComputedStyle(part).backgroundColor), behind(part.parentElement)) : [1, 1, 1];
    const opacity = (part) => (part ? Number(getComputedStyle(part).opacity) * opacity(part.parentElement) : 1);
    const pale = new Set();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const part = texts.currentNode.parentElement;
      const unseen = !texts.currentNode.data.trim() || !part.checkVisibility() || part.closest('.unseen, :disabled, option');
      if (unseen) continue;
      const { color, fill, fontSize } = getComputedStyle(part);
      const { rgb, alpha } = parse(part instanceof SVGElement ? fill : color);
      const ground = behind(part);
      const found = contrast(over({ rgb, alpha: alpha * opacity(part) }, ground), ground);
      if (found < (parseFloat(fontSize) >= 24 ? 3 : 4.5)) pale.add(`${found.toFixed(2)} : 1 ${part.outerHTML.slice(0, 160)}`);
    }
    return [...pale];
  },
});
