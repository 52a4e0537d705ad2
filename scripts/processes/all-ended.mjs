/** Waits for all, also where one fails: what the others have started can be stopped then.
 * @template {readonly unknown[]} Values
 * @param {Values} promises
 * @returns {Promise<{ -readonly [Place in keyof Values]: Awaited<Values[Place]> }>} what they resolved with @throws what the first of them failed with */
export async function allEnded(promises) {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
