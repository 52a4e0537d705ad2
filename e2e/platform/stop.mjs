/** Stops the platform of the run and removes its data. */
export default async function stop() {
  await globalThis.e2ePlatform.stop();
  await globalThis.e2eCollector.stop();
  await globalThis.e2eRedis.stop();
}
