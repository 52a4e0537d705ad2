import fc from 'fast-check';

/**
 * The part of JSON Schema that documents of services use.
 * @typedef {{
 *   $ref?: string, anyOf?: Schema[], type?: string | string[], enum?: readonly unknown[], format?: string,
 *   minLength?: number, maxLength?: number, pattern?: string, minimum?: number, maximum?: number,
 *   items?: Schema, minItems?: number, maxItems?: number,
 *   properties?: Record<string, Schema>, required?: string[], examples?: unknown[],
 * }} Schema
 */

/**
 * Values that a schema is meant for, and values at its limits or just beyond them. Neither is sure to be what it is meant
 * to be: the schema itself has to be asked.
 * @typedef {{ meant: fc.Arbitrary<unknown>, limits: fc.Arbitrary<unknown> }} Values
 */

const ANYTHING = fc.constantFrom(
  ...[null, true, 0, -1, 1.5, 1e300, '', '0', 'true', [], {}, [[]], [null], { constructor: 1 }, { toString: null }],
);

/** Objects inside of objects are followed this far; deeper ones may contain themselves. */
const MAX_DEPTH = 4;

/** Longest list that is made. Only lists of answers may be longer, and making lists of them would take seconds. */
const MAX_LENGTH = 200;

/** @type {Record<string, { meant: string[], limits: string[] }>} */
const FORMATTED = {
  email: {
    meant: ['dev@acme.test', 'a+b@sub.acme.test'],
    limits: ['dev@acme', '@acme.test', `${'a'.repeat(65)}@acme.test`, `${'a'.repeat(64)}@${'b.'.repeat(93)}test`],
  },
  uuid: {
    meant: ['0199aa00-0000-7000-8000-000000000001', '0199AA00-0000-7000-8000-00000000000F'],
    limits: ['0199aa00', '{0199aa00-0000-7000-8000-000000000001}'],
  },
  date: { meant: ['2024-02-29', '2026-12-31'], limits: ['2023-02-29', '0000-01-01', '2026-1-1', '10000-01-01'] },
  'date-time': {
    meant: ['2026-01-01T00:00:00Z', '2026-06-30T23:59:59.123+02:00'],
    limits: ['2026-01-01', '2026-01-01T00:00:00', '2026-01-01T24:00:00Z', '2026-02-30T00:00:00Z'],
  },
  uri: {
    meant: ['https://hooks.acme.example/in?x=1', 'http://acme.example'],
    limits: ['acme.example', 'ftp://acme.example', 'https://', 'https://acme.example/a b'],
  },
};

/**
 * Values of and near a schema.
 * @param {Schema} schema
 * @param {(reference: string) => Schema} resolve finds what a `$ref` names
 * @returns {Values}
 */
export const valuesNear = (schema, resolve) => near(schema, resolve, 0);

/** @type {(schema: Schema, resolve: (reference: string) => Schema, depth: number) => Values} */
function near(schema, resolve, depth) {
  if (schema.$ref !== undefined) return near(resolve(schema.$ref), resolve, depth);
  if (schema.anyOf) return either(schema.anyOf.map((part) => near(part, resolve, depth)));
  if (schema.enum) return ofChoices(schema.enum);
  const types = [schema.type ?? []].flat();
  return either(types.map((type) => ofType(type, schema, resolve, depth)));
}

/** @type {(type: string, schema: Schema, resolve: (reference: string) => Schema, depth: number) => Values} */
function ofType(type, schema, resolve, depth) {
  switch (type) {
    case 'null':
      return { meant: fc.constant(null), limits: ANYTHING };
    case 'boolean':
      return { meant: fc.boolean(), limits: ANYTHING };
    case 'string':
      return schema.format === undefined ? text(schema) : formatted(schema.format, schema);
    case 'integer':
    case 'number':
      return numbers(schema);
    case 'array':
      return list(schema, near(schema.items ?? {}, resolve, depth), depth);
    case 'object':
      return schema.properties ? members(schema, resolve, depth) : free;
    default:
      throw new Error(`A schema with the type ${type} was not expected`);
  }
}

/** @type {(all: Values[]) => Values} */
const either = (all) =>
  all.length === 0
    ? { meant: ANYTHING, limits: ANYTHING }
    : { meant: fc.oneof(...all.map(({ meant }) => meant)), limits: fc.oneof(...all.map(({ limits }) => limits)) };

/** @type {(choices: readonly unknown[]) => Values} */
const ofChoices = (choices) => ({
  meant: fc.constantFrom(...choices),
  limits: fc.oneof(fc.constantFrom('', 'toString', `${choices[0]}`.toUpperCase(), `${choices[0]} `), ANYTHING),
});

/** @type {Values} */
const free = {
  meant: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }),
  limits: ANYTHING,
};

/** Lengths count code points: one letter has two UTF-16 units, and one is no letter of its own. */
const LETTERS = fc.constantFrom('a', 'B', '1', ' ', '\n', '😀', '\u{fe0f}');

/** @type {(schema: Schema) => Values} */
function text({ minLength = 0, maxLength = 200, pattern, examples = [] }) {
  const ofLength = (/** @type {number} */ length) => LETTERS.map((letter) => letter.repeat(Math.max(0, length)));
  const plain = fc
    .integer({ min: minLength, max: Math.min(maxLength, minLength + 20) })
    .map((length) => 'a'.repeat(length));
  const matching = pattern === undefined ? [] : [fc.stringMatching(new RegExp(pattern, 'u'))];
  const shown = examples.length === 0 ? [] : [fc.constantFrom(...examples)];
  const edges = [minLength - 1, minLength, maxLength, maxLength + 1];
  return {
    meant: fc.oneof(...(pattern === undefined ? [plain] : matching), ...shown),
    limits: fc.oneof(
      ...edges.map(ofLength),
      ...matching,
      fc.array(LETTERS, { maxLength: 5 }).map((each) => each.join('')),
      ANYTHING,
    ),
  };
}

/** @type {(format: string, schema: Schema) => Values} */
function formatted(format, { maxLength }) {
  const known = FORMATTED[format];
  if (!known) throw new Error(`A text with the format ${format} was not expected`);
  const long = maxLength === undefined ? [] : [0, 1].map((more) => 'https://a.test/'.padEnd(maxLength + more, 'a'));
  return {
    meant: fc.constantFrom(...known.meant),
    limits: fc.oneof(fc.constantFrom(...known.limits, ...known.meant, ...long), ANYTHING),
  };
}

/** @type {(schema: Schema) => Values} */
function numbers({ minimum = -1e9, maximum = 1e9 }) {
  const edges = [minimum, maximum].flatMap((bound) => [bound - 1, bound - 0.5, bound, bound + 0.5, bound + 1]);
  return {
    meant: fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) }),
    limits: fc.oneof(fc.constantFrom(...edges), ANYTHING),
  };
}

/** @type {(schema: Schema, item: Values, depth: number) => Values} */
function list({ minItems = 0, maxItems = 100 }, item, depth) {
  const longest = depth >= MAX_DEPTH ? minItems : Math.min(maxItems, minItems + 2);
  const meant = fc.array(item.meant, { minLength: minItems, maxLength: longest });
  const lengths = [minItems - 1, minItems, maxItems, maxItems + 1].filter((each) => each >= 0 && each <= MAX_LENGTH);
  return {
    meant,
    limits: fc.oneof(
      fc.tuple(meant, item.limits).map(([items, last]) => [...items, last]),
      fc.tuple(item.meant, fc.constantFrom(...lengths)).map(([same, length]) => Array.from({ length }, () => same)),
      ANYTHING,
    ),
  };
}

/** @type {(schema: Schema, resolve: (reference: string) => Schema, depth: number) => Values} */
function members({ properties = {}, required = [] }, resolve, depth) {
  const followed = Object.entries(properties).filter(([name]) => depth < MAX_DEPTH || required.includes(name));
  const values = followed.map(([name, member]) => /** @type {const} */ ([name, near(member, resolve, depth + 1)]));
  const meant = fc.record(Object.fromEntries(values.map(([name, value]) => [name, value.meant])), {
    requiredKeys: required,
  });
  // One member at a time, so that an object is refused because of it and of nothing else.
  const changes = values.flatMap(([name, value]) => [
    { weight: 6, arbitrary: value.limits.map((limit) => ({ [name]: limit })) },
    { weight: 1, arbitrary: fc.constantFrom({ [name]: undefined }, { [name]: null }) },
  ]);
  const unknown = fc.constantFrom({ unknown: 1 }, { constructor: 1 }, { hasOwnProperty: 1 }, { valueOf: null });
  return {
    meant,
    limits: fc
      .tuple(meant, fc.oneof(...changes, { weight: 2, arbitrary: unknown }))
      .map(([whole, change]) => ({ .../** @type {object} */ (whole), ...change })),
  };
}
