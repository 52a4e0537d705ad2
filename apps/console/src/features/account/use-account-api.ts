import { useMemo } from 'react';
import { useApiClient } from '../../session/api-client-context.js';
import { type AccountApi, accountApi } from './account.api.js';

export function useAccountApi(): AccountApi {
  const client = useApiClient();
  return useMemo(() => accountApi(client), [client]);
}
