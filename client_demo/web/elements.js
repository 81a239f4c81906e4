/** Small helpers that build elements; every screen is made with them, so no text is ever parsed as HTML. */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Make an element. In `props`: `class`, `on` ({event: listener}), `style` ({property: value}, set through the CSSOM so
 * that a strict content security policy holds), `data` ({key: value}), `test` (data-testid); all others are attributes
 * (true: present, false, null or undefined: left out; those of aria say "true" and "false"). Children: nodes, texts,
 * arrays of them; null and false are skipped.
 */
export function el(name, props = {}, ...children) {
  return fill(document.createElement(name), props, children);
}

/** Make an SVG element; props and children as in `el`. */
export function svg(name, props = {}, ...children) {
  return fill(document.createElementNS(SVG, name), props, children);
}

/** A push button: its text (or nodes) and what it does. */
export function button(label, onclick, props = {}) {
  return el('button', { type: 'button', class: 'btn', ...props, on: { click: onclick } }, label);
}

/** Replace all children of an element. What had the focus among them hands it on to what comes under the same hook. */
export function put(parent, ...children) {
  const hook = parent.contains(document.activeElement) && document.activeElement.dataset.testid;
  parent.replaceChildren(...children.flat(3).filter(present));
  if (hook) parent.querySelector(`[data-testid="${hook}"]`)?.focus({ preventScroll: true });
  return parent;
}

/** Make these nodes the children of an element, in this order; those that are in place are not touched, nor lose a press or the focus. */
export function arrange(parent, children) {
  for (const child of [...parent.childNodes]) if (!children.includes(child)) child.remove();
  for (const [at, child] of children.entries()) {
    if (parent.childNodes[at] !== child) parent.insertBefore(child, parent.childNodes[at] ?? null);
  }
}

/**
 * Let the children of an element say what these say, which are made anew, and keep what it has: nothing that is pressed
 * may lose its press, or the focus, to news of something else. A child stays where name, hook and `data.key` are the
 * same. It keeps its listeners, too: what they need is looked up when they run, or is part of the key.
 */
export function renew(parent, ...children) {
  const hook = parent.contains(document.activeElement) && document.activeElement.dataset.testid;
  const wanted = children.flat(3).filter(present).map((child) => (child instanceof Node ? child : new Text(child)));
  const before = [...parent.childNodes].filter((child) => !wanted.includes(child));
  const shown = wanted.map((child) => {
    const at = child.parentNode === parent ? -1 : before.findIndex((former) => alike(former, child));
    return at < 0 ? child : become(before.splice(at, 1)[0], child);
  });
  arrange(parent, shown);
  if (hook && !parent.contains(document.activeElement)) parent.querySelector(`[data-testid="${hook}"]`)?.focus({ preventScroll: true });
}

const alike = (one, other) =>
  one.nodeName === other.nodeName && ['testid', 'key'].every((name) => one.dataset?.[name] === other.dataset?.[name]);

function become(former, child) {
  if (former.isEqualNode(child) && !('value' in child)) return former;
  if (child instanceof Text) former.data = child.data;
  else {
    const { value, checked } = child; // of fields: once they are used, the attributes say nothing
    for (const { name } of [...former.attributes]) if (!child.hasAttribute(name)) former.removeAttribute(name);
    for (const { name, value: said } of child.attributes) if (former.getAttribute(name) !== said) former.setAttribute(name, said);
    renew(former, ...child.childNodes);
    if (former.value !== value) former.value = value;
    if (former.checked !== checked) former.checked = checked;
  }
  return former;
}

/** What opens a window that is loaded late: one, however often it is asked for until it is closed. */
export function single(work) {
  let open = null;
  return (...what) => (open ??= work(...what).finally(() => (open = null)));
}

/** One of the page's line icons, from the sprite in index.html. */
export function icon(name) {
  return svg('svg', { class: 'icon', 'aria-hidden': 'true' }, svg('use', { href: `#i-${name}` }));
}

const present = (child) => child !== null && child !== undefined && child !== false;

function fill(element, props, children) {
  for (const [key, value] of Object.entries(props)) {
    if (key.startsWith('aria-') && typeof value === 'boolean') element.setAttribute(key, String(value));
    else if (!present(value)) continue;
    else if (key === 'on') for (const [type, listener] of Object.entries(value)) element.addEventListener(type, listener);
    else if (key === 'style') for (const [name, text] of Object.entries(value)) element.style.setProperty(name, text);
    else if (key === 'data') Object.assign(element.dataset, value);
    else if (key === 'test') element.dataset.testid = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(3).filter(present));
  return element;
}
