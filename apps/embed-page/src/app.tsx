import { ApiProblem, createApiClient } from '@crm/api-client';
import { EmptyNotice, Kit, LoadingLines, LocaleProvider, localeTag, useTexts } from '@crm/ui';
import { Button } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { Crm } from './crm/crm.js';
import type { HostConnection } from './host-link/connect.js';
import { NoToken, type SessionState } from './host-link/session.js';
import { TEXTS } from './texts.js';

const MAX_RETRIES = 2;

/** @param onRefused the API refuses even a new token: the user it is for no longer has access */
export function createQueryClient(onRefused: () => void): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof ApiProblem && error.status === 401) onRefused();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5000,
        retry: (failures, error) =>
          !(error instanceof NoToken) && error instanceof ApiProblem && error.isTemporary && failures < MAX_RETRIES,
        // What the host's frame shows is looked at when its window is: then it is asked again, and a revoked access noticed.
        refetchOnWindowFocus: true,
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

export interface SessionGateProps {
  readonly state: SessionState;
  readonly onRetry: () => void;
  /** Shown while there is a token, and nothing of it afterwards. */
  readonly children: ReactNode;
}

export function SessionGate({ state, onRetry, children }: SessionGateProps) {
  const texts = useTexts(TEXTS);
  const retry = (
    <Button variant="default" onClick={onRetry}>
      {texts.retry}
    </Button>
  );
  switch (state) {
    case 'active':
      return children;
    case 'waiting':
      return <LoadingLines label={texts.connecting} />;
    case 'not-delivered':
      return <EmptyNotice title={texts.notDelivered} text={texts.notDeliveredText} action={retry} />;
    case 'ended':
      return <EmptyNotice title={texts.ended} text={texts.endedText} action={retry} />;
    case 'destroyed':
      return <EmptyNotice title={texts.destroyed} />;
  }
}

/** Reports the height of the content, so that the host can make the frame as high. */
function useHeight(element: HTMLElement, report: (height: number) => void): void {
  useEffect(() => {
    let last = -1;
    const observer = new ResizeObserver(() => {
      const height = Math.ceil(element.getBoundingClientRect().height);
      if (height === last) return;
      last = height;
      report(height);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [element, report]);
}

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
  // Each user has their own queries, so that nothing read for another is shown, nor an answer that arrives late.
  const queries = useMemo(() => createQueryClient(() => session.refuse()), [session, holder]);
  const locale = localeTag(wishes.locale ?? navigator.language);

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
      <Kit theme={wishes.theme}>
        <SessionGate state={state} onRetry={() => session.retry()}>
          <QueryClientProvider key={holder} client={queries}>
            <Crm client={client} view={wishes.view} onNavigate={(view) => link.send({ type: 'navigate', view })} />
          </QueryClientProvider>
        </SessionGate>
      </Kit>
    </LocaleProvider>
  );
}
