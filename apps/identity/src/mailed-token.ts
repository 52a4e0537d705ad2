/** The field of a token that a link in an email carries. */
export const MAILED_TOKEN = {
  maxLength: 200,
  example: 'b3BhcXVlLXRva2Vu',
  description: 'The token from the emailed link',
};
