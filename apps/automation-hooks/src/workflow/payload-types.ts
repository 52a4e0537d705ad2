import { FIELD_TYPE_NAMES } from '@crm/fields';

/** Types that a payload key can be declared with: those of fields except formulas, and `boolean` as JSON calls it. */
export const PAYLOAD_TYPES: readonly string[] = [...FIELD_TYPE_NAMES.filter((name) => name !== 'formula'), 'boolean'];
