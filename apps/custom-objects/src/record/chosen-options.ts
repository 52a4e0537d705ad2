import { type FieldDefinition, normaliseOptions } from '@crm/fields';

/**
 * The options that a query text names: one when the whole text is an option, several as a JSON array of texts. Options
 * without commas may also be separated by commas, unless an option of the field contains one.
 * @returns for validation as a value of the field; what is not an option is refused there
 */
export function chosenOptions(field: FieldDefinition, text: string): unknown {
  const options = normaliseOptions(field.options).map(({ value }) => value);
  if (options.includes(text)) return [text];
  if (text.startsWith('[')) return parsed(text);
  return options.some((option) => option.includes(',')) ? [text] : text.split(',');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Not an array either: refused like any text that is no option.
    return [text];
  }
}
