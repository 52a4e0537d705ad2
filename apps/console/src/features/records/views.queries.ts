import type { ApiClient } from '@crm/api-client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApiClient } from '../../session/api-client-context.js';

/** The views that the caller sees of an object. @param isWanted whether they are asked for */
export function useViews(object: string, isWanted: boolean) {
  const client = useApiClient();
  return useQuery({
    queryKey: ['views', object],
    queryFn: async ({ signal }) =>
      (await client.GET('/api/crm/views', { params: { query: { object } }, signal })).data?.data ?? [],
    enabled: isWanted,
    staleTime: 60_000,
  });
}

/** Changes views, and asks for them again. */
export function useViewChange<Input, Answer>(
  object: string,
  change: (client: ApiClient, input: Input) => Promise<Answer>,
) {
  const client = useApiClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => change(client, input),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['views', object] }),
  });
}
