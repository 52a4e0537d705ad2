import { ApiProblem } from '@crm/api-client';
import { MutationCache, QueryClient } from '@tanstack/react-query';

const MAX_RETRIES = 2;

/** Answers are kept in memory, for the one person who is signed in. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    // What nobody can have expected is a defect; the rest is said where it was tried.
    mutationCache: new MutationCache({
      onError: (error) => {
        if (!(error instanceof ApiProblem)) reportError(error);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 5000,
        retry: (failures, error) => error instanceof ApiProblem && error.isTemporary && failures < MAX_RETRIES,
        networkMode: 'always',
        throwOnError: (error) => !(error instanceof ApiProblem),
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
