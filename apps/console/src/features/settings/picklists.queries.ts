import type { ApiClient } from '@crm/api-client';
import type { ObjectModel } from '@crm/records-ui';
import { useLocale } from '@crm/ui';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApiClient } from '../../session/api-client-context.js';
import type { Saved } from './parts/option-card.js';

/** The picklists that belong to the workspace; stages lie in pipelines. */
const PICKLISTS = [
  { object: 'lead', field: 'status' },
  { object: 'lead', field: 'source' },
  { object: 'task', field: 'priority' },
] as const;

const KEY = ['picklists'] as const;

/** Pipelines and the options of picklists as administrators see them, retired ones too: all at once, so that nothing moves. */
export function usePicklists(objects: readonly ObjectModel[]) {
  const client = useApiClient();
  const { language } = useLocale();
  return useQuery({
    queryKey: [...KEY, language, objects.map(({ apiName }) => apiName)],
    queryFn: async ({ signal }) => {
      const query = { language };
      const isStaged = objects.some((object) => object.pipelines.length > 0);
      const staged = isStaged ? await client.GET('/api/crm/pipelines', { params: { query }, signal }) : undefined;
      const picklists = PICKLISTS.flatMap(({ object, field }) => {
        const model = objects.find(({ apiName }) => apiName === object);
        return model ? [{ model, field }] : [];
      }).map(async ({ model, field }) => {
        const params = { path: { apiName: model.apiName, field }, query };
        const { data } = await client.GET('/api/crm/objects/{apiName}/fields/{field}/options', { params, signal });
        return { model, field, options: data?.options ?? [] };
      });
      return { pipelines: staged?.data?.data ?? [], picklists: await Promise.all(picklists) };
    },
  });
}

/** Changes options or pipelines; forms, filters and boards show it at once. */
export function usePicklistChange<Input>(change: (client: ApiClient, input: Input) => Promise<unknown>) {
  const client = useApiClient();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => change(client, input),
    onSuccess: () =>
      Promise.all([KEY, ['objects'], ['records']].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
}

export const replaceOptions =
  (object: string, field: string) =>
  (client: ApiClient, { options }: Saved) =>
    client.PUT('/api/crm/objects/{apiName}/fields/{field}/options', {
      params: { path: { apiName: object, field } },
      body: { options: options.map(({ value, label, active }) => ({ value, label, active })) },
    });

/** @param id undefined for a new pipeline */
export const savePipeline =
  (id: string | undefined) =>
  (client: ApiClient, { name, options }: Saved): Promise<unknown> => {
    const stages = options.map(({ value, label, active, probability = 0, meaning = 'open' as const }) => ({
      ...{ value, label, active, probability, meaning },
    }));
    const body = { name, stages };
    return id === undefined
      ? client.POST('/api/crm/pipelines', { body })
      : client.PATCH('/api/crm/pipelines/{id}', { params: { path: { id } }, body });
  };

export const deletePipeline = (client: ApiClient, id: string) =>
  client.DELETE('/api/crm/pipelines/{id}', { params: { path: { id } } });
