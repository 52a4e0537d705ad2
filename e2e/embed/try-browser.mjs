// Starts the browser of the page tests once: `npm test` asks before it spends minutes on what comes before them.
import { runCommand } from '../../scripts/plain-error.mjs';
import { startBrowser } from './browser.mjs';

await runCommand(async () => {
  await (await startBrowser({})).close();
});
