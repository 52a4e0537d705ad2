import type { ApiClient } from '@crm/api-client';
import { createContext, useContext } from 'react';

export const ApiClientContext = createContext<ApiClient | undefined>(undefined);

/** The API, called by the person who is signed in. */
export function useApiClient(): ApiClient {
  const client = useContext(ApiClientContext);
  if (!client) throw new Error('Nobody is signed in around this component');
  return client;
}
