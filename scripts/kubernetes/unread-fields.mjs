/**
 * Runs a check on data and tells which of its fields the check never looked at. The validators of Kubernetes' schemas accept
 * fields that do not exist, as a mistyped one; but they read every field that the schema has, and no other.
 * @template Result
 * @param {object} data
 * @param {(data: any) => Result} check
 * @returns {{ result: Result, unread: string[] }} unread: JSON pointers
 */
export function unreadFields(data, check) {
  /** @type {Map<object, Set<string>>} */
  const read = new Map();
  const result = check(watch(data, read));
  /** @type {string[]} */
  const unread = [];
  collect(data, '', read, unread);
  return { result, unread };
}

/**
 * @param {any} value
 * @param {Map<object, Set<string>>} read the fields of each object that were read
 * @returns {any}
 */
function watch(value, read) {
  if (typeof value !== 'object' || value === null) return value;
  const fields = new Set();
  read.set(value, fields);
  return new Proxy(value, {
    get(target, name) {
      if (typeof name === 'string') fields.add(name);
      const field = Reflect.get(target, name);
      return typeof name === 'string' && Object.hasOwn(target, name) ? (watchOnce(field, read) ?? field) : field;
    },
  });
}

/** @type {WeakMap<object, object>} */
const watched = new WeakMap();

/**
 * The same watcher for every read of an object, so that what two readers look at adds up.
 * @param {any} value
 * @param {Map<object, Set<string>>} read
 */
function watchOnce(value, read) {
  if (typeof value !== 'object' || value === null) return undefined;
  const known = read.has(value) ? watched.get(value) : undefined;
  if (known) return known;
  const made = watch(value, read);
  watched.set(value, made);
  return made;
}

/**
 * Objects that were read as a whole but into which nobody looked have no schema: everything in them is allowed.
 * @param {any} value
 * @param {string} path
 * @param {Map<object, Set<string>>} read
 * @param {string[]} unread
 */
function collect(value, path, read, unread) {
  const fields = read.get(value);
  if (!fields || fields.size === 0) return;
  for (const [name, field] of Object.entries(value)) {
    const pointer = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!fields.has(name)) unread.push(pointer);
    else if (typeof field === 'object' && field !== null) collect(field, pointer, read, unread);
  }
}
