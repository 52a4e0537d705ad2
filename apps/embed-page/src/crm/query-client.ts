import { ApiProblem } from '@crm/api-client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { NoToken } from '../host-link/session.js';

const MAX_RETRIES = 2;

/** @param onRefused the API refuses even a new token: whoever it is for has no access any more */
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
