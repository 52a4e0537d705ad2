import type { ApiClient } from '@crm/api-client';
import { canRead } from '@crm/records-ui';
import { useQuery } from '@tanstack/react-query';

/** How often an idle page asks whether its access still holds, in milliseconds. */
const CHECK_MS = 30_000;

/** Who the token is for, and which custom objects they see. */
export function useCaller(client: ApiClient) {
  return useQuery({
    queryKey: ['caller'],
    queryFn: async ({ signal }) => {
      const { data: caller } = await client.GET('/api/auth/me', { signal });
      if (!caller) throw new Error('The answer has no body');
      if (!canRead(caller, 'custom')) return { caller, customObjects: [] };
      const { data } = await client.GET('/api/crm/custom', { signal });
      return { caller, customObjects: data?.data ?? [] };
    },
    refetchInterval: CHECK_MS,
  });
}
