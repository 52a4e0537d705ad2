/** @returns the value of a body; undefined when it is no JSON, as when something between the page and the API answered */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
