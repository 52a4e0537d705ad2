import { createApiClient } from '@crm/api-client';
import { applyTheme, LocaleProvider } from '@crm/ui';
import { QueryClientProvider } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { Crm } from './crm/crm.js';
import { createQueryClient } from './crm/query-client.js';
import type { HostConnection } from './host-link/connect.js';
import { SessionGate } from './states/session-gate.js';
import { useHeight } from './use-height.js';

export interface AppProps {
  readonly host: HostConnection;
  readonly apiUrl: string;
  readonly root: HTMLElement;
}

/** Everything below the connection with the host: theme, locale, and the CRM while there is a token. */
export function App({ host, apiUrl, root }: AppProps) {
  const { session, link } = host;
  const wishes = useSyncExternalStore(host.subscribeWishes, host.wishes);
  const state = useSyncExternalStore(session.subscribe, () => session.state);
  const holder = useSyncExternalStore(session.subscribe, () => session.holder);
  const client = useMemo(() => createApiClient({ baseUrl: apiUrl, tokens: session }), [apiUrl, session]);
  // Of each user their own, so that nothing that was read for another is shown, nor an answer that arrives late.
  const queries = useMemo(() => createQueryClient(() => session.refuse()), [session, holder]);
  const locale = wishes.locale ?? navigator.language;

  useEffect(() => applyTheme(document.documentElement, wishes.theme), [wishes.theme]);
  useEffect(() => {
    document.documentElement.lang = locale;
  }, [locale]);
  useEffect(() => {
    if (state === 'ended' || state === 'destroyed') queries.clear();
    if (state === 'ended') link.send({ type: 'error', code: 'token_refused', message: 'The session has ended' });
    if (state === 'not-delivered')
      link.send({ type: 'error', code: 'token_not_delivered', message: 'There is no token' });
  }, [state, queries, link]);
  const latest = useRef(queries);
  useEffect(() => {
    if (latest.current !== queries) latest.current.clear();
    latest.current = queries;
  }, [queries]);
  const report = useCallback((height: number) => link.send({ type: 'resize', height }), [link]);
  useHeight(root, report);

  return (
    <LocaleProvider tag={locale}>
      <SessionGate state={state} onRetry={() => session.retry()}>
        <QueryClientProvider key={holder} client={queries}>
          <Crm client={client} view={wishes.view} onNavigate={(view) => link.send({ type: 'navigate', view })} />
        </QueryClientProvider>
      </SessionGate>
    </LocaleProvider>
  );
}
