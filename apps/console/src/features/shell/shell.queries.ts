import type { ApiClient } from '@crm/api-client';
import { useQuery } from '@tanstack/react-query';
import { useApiClient } from '../../session/api-client-context.js';

/** Who is signed in, and in which workspace. */
export const useCaller = (client: ApiClient) =>
  useQuery({
    queryKey: ['caller'],
    queryFn: async ({ signal }) => (await client.GET('/api/auth/me', { signal })).data ?? null,
    staleTime: 60_000,
  });

/** Returns whether the caller changes what belongs to the workspace; until that is known, they do not. */
export const useAdministers = (): boolean =>
  useCaller(useApiClient()).data?.roles.some((role) => role === 'owner' || role === 'admin') ?? false;

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
