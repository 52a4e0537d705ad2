/**
 * Decodes base64 (RFC 4648, section 4). Node's decoder also accepts other alphabets, missing padding, foreign characters and
 * unused bits; here each value has exactly one text, so that no signature can be changed and remain valid.
 * @returns undefined when the text is not base64
 */
export function parseBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
