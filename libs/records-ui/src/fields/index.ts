export { parseNumber } from '../objects/number-input.js';
export { type Draft, faultOf, fieldValue, inputOf, isWritable, writableFields } from '../record/draft.js';
