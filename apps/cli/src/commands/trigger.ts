import { membersOf, parseArguments, UsageError } from '../arguments.js';
import { platformOf, SIGN_IN_OPTIONS, SIGN_IN_USAGE } from '../remote/platform.js';
import { type Colours, printable, type Terminal } from '../terminal.js';

export const TRIGGER_USAGE = `Usage: crm-dev trigger <event> <app-key> [options]

Send a signed sample event to each sandbox webhook of the app in your workspace that subscribes to it.
crm-dev listen shows it, too.

  --json                  print the API's response
${SIGN_IN_USAGE}

Exit status: 0 all endpoints accepted it, 1 an endpoint did not, 2 wrong usage or nothing was sent.
`;

/** What became of a sample event at one webhook of a sandbox. */
interface TriggeredDelivery {
  readonly url: string;
  /** `delivered`, `failed`, `blocked` or `pending`. */
  readonly status: string;
  readonly httpStatus?: number;
  readonly latencyMs?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

interface TriggeredEvent {
  readonly event: string;
  readonly eventId: string;
  readonly deliveries: readonly TriggeredDelivery[];
}

/** An endpoint has 15 seconds to answer. */
const TIMEOUT_MS = 35_000;

const OPTIONS = { ...SIGN_IN_OPTIONS, json: { type: 'boolean' } } as const;

/** `crm-dev trigger`. @returns the exit status */
export async function triggerCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(args, OPTIONS, TRIGGER_USAGE);
  const [event, appKey] = positionals;
  if (event === undefined || appKey === undefined || positionals.length > 2) {
    throw new UsageError('Missing event or app key. Pass the name of an event and the key of an app.', TRIGGER_USAGE);
  }
  const platform = platformOf(values, terminal.config, TRIGGER_USAGE);
  const path = `api/marketplace/developer/apps/${encodeURIComponent(appKey)}/trigger`;
  const sent = await platform.post(path, { event }, TIMEOUT_MS, isTriggeredEvent, 'deliveries');
  if (values.json) terminal.out(`${JSON.stringify(sent, null, 2)}\n`);
  else {
    const what = `${terminal.colours.strong(printable(sent.event))} ${terminal.colours.faint(printable(sent.eventId))}`;
    for (const delivery of sent.deliveries) terminal.out(`${what} → ${outcomeOf(delivery, terminal.colours)}\n`);
  }
  return sent.deliveries.every(({ status }) => status === 'delivered') ? 0 : 1;
}

function outcomeOf({ url, status, httpStatus, latencyMs, error }: TriggeredDelivery, colours: Colours): string {
  const words = printable(error ? `${status}: ${error.code}, ${error.message}` : `${httpStatus ?? status}`);
  const outcome = status === 'delivered' ? colours.good(words) : colours.blocker(words);
  return `${printable(url)} ${outcome}${latencyMs === undefined ? '' : ` (${latencyMs} ms)`}`;
}

function isTriggeredEvent(body: unknown): body is TriggeredEvent {
  const { event, eventId, deliveries } = membersOf(body);
  return (
    typeof event === 'string' &&
    typeof eventId === 'string' &&
    Array.isArray(deliveries) &&
    deliveries.every((one) => typeof one?.url === 'string' && typeof one.status === 'string')
  );
}
