/**
 * The lines that say what went wrong: the last ones without the frames of stack traces, which would push the message
 * out of a short excerpt.
 * @param {readonly string[]} lines
 * @param {number} count
 * @returns {string[]}
 */
export const tellingLines = (lines, count) => lines.filter((line) => !/^\s+at /.test(line)).slice(-count);
