import { decode, encode } from '@jridgewell/sourcemap-codec';

/** Sources of libraries. */
const LIBRARY = /[\\/]node_modules[\\/]/;

/** Leaves in a source map only our own sources: Node reads the whole map at its start, and libraries cost 10 MiB a
 * service. @template {{ mappings: string, sources: string[], names: string[] }} Map @param {Map} map */
export function keepOwnSources(map) {
  const own = map.sources.map((source) => !LIBRARY.test(source));
  const [sources, names] = [numbering(map.sources), numbering(map.names)];
  let inOwn = false;
  const lines = decode(map.mappings).map((line) => {
    /** @type {import('@jridgewell/sourcemap-codec').SourceMapSegment[]} */
    const kept = [];
    for (const [column, source, sourceLine, sourceColumn, name] of line) {
      if (source !== undefined && sourceLine !== undefined && sourceColumn !== undefined && own[source]) {
        const number = sources.of(source);
        if (name === undefined) kept.push([column, number, sourceLine, sourceColumn]);
        else kept.push([column, number, sourceLine, sourceColumn, names.of(name)]);
        inOwn = true;
      } else if (inOwn) {
        // Says where our code ends; else all that follows would count as its last line.
        kept.push([column]);
        inOwn = false;
      }
    }
    return kept;
  });
  return { ...map, mappings: encode(lines), sources: sources.used(), names: names.used() };
}

/** Numbers anew those entries of a list that are still used. @param {readonly string[]} all */
function numbering(all) {
  /** @type {Map<number, number>} */
  const numbers = new Map();
  return {
    of: (/** @type {number} */ old) => numbers.get(old) ?? numbers.set(old, numbers.size).size - 1,
    used: () => [...numbers.keys()].map((old) => all[old] ?? ''),
  };
}
