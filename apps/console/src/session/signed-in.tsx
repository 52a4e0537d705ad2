import { createApiClient } from '@crm/api-client';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { ApiClientContext } from './api-client-context.js';
import { createQueryClient } from './query-client.js';
import { useSession } from './session-context.js';

/** Around what one person sees, with their holder as its key: the API called by them, and answers that nobody else gets to see. */
export function SignedIn({ children }: { readonly children: ReactNode }) {
  const session = useSession();
  const [queries] = useState(createQueryClient);
  const [holder] = useState(session.holder);
  const client = useMemo(
    () => createApiClient({ baseUrl: location.origin, tokens: session.boundTo(holder) }),
    [session, holder],
  );
  useEffect(() => () => queries.clear(), [queries]);
  const isActive = session.state === 'active';
  const wasActive = useRef(isActive);
  // What was refused while there was no session is asked for again.
  useEffect(() => {
    if (isActive && !wasActive.current) void queries.invalidateQueries();
    wasActive.current = isActive;
  }, [isActive, queries]);
  return (
    <QueryClientProvider client={queries}>
      <ApiClientContext value={client}>{children}</ApiClientContext>
    </QueryClientProvider>
  );
}
