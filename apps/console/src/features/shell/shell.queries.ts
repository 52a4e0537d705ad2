import { type ApiClient, ApiProblem } from '@crm/api-client';
import { MutationCache, QueryClient, useQuery } from '@tanstack/react-query';
import { useApiClient } from '../../session/api-client-context.js';
import { NotSignedIn } from '../../session/session.js';

const MAX_RETRIES = 2;

/** Answers are kept in memory, for the one person who is signed in. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    // What nobody can have expected is a defect; the rest is said where it was tried.
    mutationCache: new MutationCache({
      onError: (error) => {
        if (!(error instanceof ApiProblem || error instanceof NotSignedIn)) reportError(error);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 5000,
        retry: (failures, error) => error instanceof ApiProblem && error.isTemporary && failures < MAX_RETRIES,
        networkMode: 'always',
        throwOnError: (error) => !(error instanceof ApiProblem) && !(error instanceof NotSignedIn),
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });

/** Who is signed in, and in which workspace. */
export const useCaller = (client: ApiClient) =>
  useQuery({
    queryKey: ['caller'],
    queryFn: async ({ signal }) => (await client.GET('/api/auth/me', { signal })).data ?? null,
    staleTime: 60_000,
  });

/** Records of all objects. @param q asks for nothing while undefined */
export function useSearchOfAll(q: string | undefined) {
  const client = useApiClient();
  return useQuery({
    queryKey: ['search', q],
    queryFn: async ({ signal }) =>
      (await client.GET('/api/crm/search', { params: { query: { q: q ?? '', size: 12 } }, signal })).data?.data ?? [],
    enabled: q !== undefined,
    placeholderData: (previous) => previous,
  });
}
