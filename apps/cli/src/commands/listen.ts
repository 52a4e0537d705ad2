import { parseUrl } from '@crm/address-policy';
import { parseArguments, UsageError } from '../arguments.js';
import { platformOf, SIGN_IN_OPTIONS, SIGN_IN_USAGE } from '../remote/platform.js';
import { type Colours, printable, type Terminal } from '../terminal.js';
import { Forwarded, forward } from './forward.js';
import { type ListenedDelivery, ListeningSession, type SessionListener } from './listening-session.js';

export const LISTEN_USAGE = `Usage: crm-dev listen <app-key> [options]

Stream new deliveries to the app's sandboxes in your workspace until you press Ctrl-C.

  --forward <url>         forward a copy of each to a local program, with the original headers, body, and signature
  --events <pattern>      only these events, such as lead.created or lead.* (repeatable)
  --json                  print each delivery as one line of JSON
${SIGN_IN_USAGE}

An access token is valid for 15 minutes. Set CRM_REFRESH_TOKEN to renew it; a refresh token works once.

Exit status: 0 after Ctrl-C, 2 wrong usage or a rejected call.
`;

const OPTIONS = {
  ...SIGN_IN_OPTIONS,
  forward: { type: 'string' },
  events: { type: 'string', multiple: true },
  json: { type: 'boolean' },
} as const;

/** `crm-dev listen`. @returns the exit status */
export async function listenCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseArguments(args, OPTIONS, LISTEN_USAGE);
  const [appKey] = positionals;
  if (appKey === undefined || positionals.length > 1) throw new UsageError('Missing app key.', LISTEN_USAGE);
  const platform = platformOf(values, terminal.config, LISTEN_USAGE);
  const target = values.forward === undefined ? undefined : targetOf(values.forward);
  const events = (values.events ?? []).flatMap((text) => text.split(','));
  const signal = terminal.interruption();
  const session = new ListeningSession(platform, appKey, events, notesOf(appKey, target, terminal), signal);
  for await (const delivery of session.deliveries()) {
    const forwarded = target && (await forward(target, delivery, signal));
    if (signal.aborted) break;
    terminal.out(values.json ? jsonLine(delivery, forwarded) : textLine(delivery, forwarded, terminal.colours));
  }
  terminal.err('Stopped.\n');
  return 0;
}

/** @throws UsageError */
function targetOf(text: string): URL {
  const url = parseUrl(text);
  if (url && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new UsageError(
    '--forward must be an http or https address, such as http://localhost:3000/hooks.',
    LISTEN_USAGE,
  );
}

/** Notes are for people; standard output has the deliveries. */
const notesOf = (appKey: string, target: URL | undefined, terminal: Terminal): SessionListener => ({
  begun: () => {
    const to = target ? ` and forwarding to ${target.href}` : '';
    terminal.err(printable(`Listening for ${appKey} sandbox deliveries${to}. Press Ctrl-C to stop.`));
    terminal.err('\n');
  },
  lost: (reason) => terminal.err(`${printable(reason)} Reconnecting. No deliveries will be lost.\n`),
  resumed: () => terminal.err('Reconnected.\n'),
});

const jsonLine = (delivery: ListenedDelivery, forwarded: Forwarded | undefined): string =>
  `${JSON.stringify({ ...delivery, ...(forwarded && { forwarded }) })}\n`;

function textLine(
  { event, eventId, url }: ListenedDelivery,
  forwarded: Forwarded | undefined,
  colours: Colours,
): string {
  const what = `${colours.strong(printable(event))} ${colours.faint(printable(eventId))}`;
  if (!forwarded) return `${what} for ${printable(url)}\n`;
  const { status, error, ms } = forwarded;
  const isAccepted = status !== undefined && status >= 200 && status < 300;
  const outcome = printable(status === undefined ? `failed: ${error}` : String(status));
  return `${what} → ${isAccepted ? colours.good(outcome) : colours.blocker(outcome)} (${ms} ms)\n`;
}
