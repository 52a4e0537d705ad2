import { PlainError } from '../plain-error.mjs';

/**
 * Enters a service in libs/contracts/src/services.ts, from which its NATS user and its port follow.
 * @param {string} text the file
 * @param {string} name
 * @param {number} port
 * @returns {string} the file with the service in it
 * @throws {PlainError} when the name or the port is taken
 */
export function enterService(text, name, port) {
  if (text.includes(`'${name}'`) || new RegExp(`^ {2}${name}:`, 'm').test(text)) {
    throw new PlainError(`There is a service ${name} already.`);
  }
  // A service also takes its port + 1000, so the other's and this one's may not meet there either.
  const taken = [...text.matchAll(/: (\d{4,5}),/g)].map(([, number]) => Number(number));
  const clash = taken.find((other) => [0, 1000, -1000].includes(port - other));
  if (clash !== undefined) throw new PlainError(`The port ${port} meets that of the service on ${clash}.`);
  const entered = text
    .replace(/(export const SERVICES = \[[^\]]*?)(\n\] as const;)/, `$1\n  '${name}',$2`)
    .replace(/(DEVELOPMENT_PORTS[^}]*?)(\n\};)/, `$1\n  '${name}': ${port},$2`);
  if (entered.split(`'${name}'`).length !== 3) {
    throw new PlainError('libs/contracts/src/services.ts does not look as expected: enter the service by hand.');
  }
  return entered;
}
