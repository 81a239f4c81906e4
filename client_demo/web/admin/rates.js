/** What nodes counted, looked at again and again: how much in a second, and how long it took most. */

const KEPT = 300; // looks

export class Rates {
  /** What was heard of each node, the earliest first. @type {Map<string, any[]>} */
  #heard = new Map();
  bounds = [];
  /** The first look. */
  since = Infinity;

  /** Take a look. @param {{bounds: number[], nodes: any[]}} look */
  add({ bounds, nodes }) {
    this.bounds = bounds;
    this.since = Math.min(this.since, ...nodes.map(({ at }) => at));
    for (const node of nodes) {
      const heard = this.#heard.get(node.node) ?? [];
      if (heard.at(-1)?.at !== node.at) heard.push(node);
      this.#heard.set(node.node, heard.slice(-KEPT));
    }
    const names = new Set(nodes.map(({ node }) => node));
    for (const name of this.#heard.keys()) if (!names.has(name)) this.#heard.delete(name);
  }

  /** A curve for each node: what `value(now, before)` says of two looks, one after the other. */
  curves(value) {
    return [...this.#heard].map(([name, heard]) => ({
      name,
      points: heard.slice(1).map((now, before) => [now.at, value(now, heard[before])]),
    }));
  }

  /** How often a second something was counted. */
  rate = (field) => (now, before) => ((now[field] - before[field]) * 1000) / (now.at - before.at);

  /** Below how many ms this share of what was counted between two looks stayed; null where nothing was. */
  slowest = (field, share) => (now, before) => {
    const counts = now[field].map((count, place) => count - before[field][place]);
    const all = counts.reduce((sum, count) => sum + count, 0);
    let below = 0;
    const place = counts.findIndex((count) => (below += count) >= share * all && count > 0);
    return all > 0 ? 1000 * (this.bounds[place] ?? 2 * this.bounds.at(-1)) : null;
  };
}
