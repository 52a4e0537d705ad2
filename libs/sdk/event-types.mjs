// Writes the schemas of what webhooks deliver, as components of an OpenAPI document, of which libs/sdk makes its types.
// node libs/sdk/event-types.mjs <file>

import { writeDocument } from '../../scripts/openapi/write-document.mjs';
import { inRoot } from '../../scripts/root.mjs';

const ref = (/** @type {string} */ name) => ({ $ref: `#/components/schemas/${name}` });
const all = (/** @type {object} */ one, /** @type {object[]} */ ...others) =>
  others.length === 0 ? one : { allOf: [one, ...others] };

await writeDocument(async () => {
  const { CORE_OBJECTS, EVENTS, RecordChange, RecordHead, recordSchema } = await import(
    inRoot('libs', 'contracts', 'src', 'index.ts')
  );
  const typeOf = (/** @type {string} */ name) => `${name[0]?.toUpperCase()}${name.slice(1)}Record`;
  const isOwn = (/** @type {string} */ name) => !(name in RecordHead.properties);
  /** @type {Map<string, string>} */
  const domains = new Map();
  /** @type {Record<string, object>} */
  const schemas = {
    RecordHead,
    Change: RecordChange,
    CustomRecord: { type: 'object', additionalProperties: true, description: 'Only fields that every role may read' },
  };
  for (const [name, { domain }] of Object.entries(CORE_OBJECTS)) {
    const { properties, required } = recordSchema(name);
    const fields = Object.fromEntries(Object.entries(properties).filter(([field]) => isOwn(field)));
    schemas[typeOf(name)] = all(ref('RecordHead'), {
      type: 'object',
      properties: fields,
      required: required.filter(isOwn),
    });
    domains.set(domain, typeOf(name));
  }
  // webhook-dispatcher delivers this: the fields of the record beside what the event adds.
  const delivered = Object.entries(EVENTS).map(([name, { data }]) => {
    if (!data.properties.record) return [name, data];
    const type = domains.get(name.replace(/\..*/, ''));
    const record = ref(type ?? 'CustomRecord');
    const { erased } = data.properties;
    // Only the id of a deleted record is certain.
    if (erased) {
      const remains = type === undefined ? record : data.properties.record;
      return [name, all(remains, { type: 'object', properties: { erased } })];
    }
    return [name, all(record, ...(data.properties.changed ? [ref('Change')] : []))];
  });
  schemas.EventDataByType = {
    type: 'object',
    properties: Object.fromEntries(delivered),
    required: Object.keys(EVENTS),
    description: '`data` of each type of event',
  };
  return { openapi: '3.1.0', info: { title: 'Events', version: '1' }, components: { schemas } };
});
