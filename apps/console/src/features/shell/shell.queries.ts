import type { ApiClient } from '@crm/api-client';
import { useQuery } from '@tanstack/react-query';

/** Who is signed in, and in which workspace. */
export const useCaller = (client: ApiClient) =>
  useQuery({
    queryKey: ['caller'],
    queryFn: async ({ signal }) => (await client.GET('/api/auth/me', { signal })).data ?? null,
    staleTime: 60_000,
  });
