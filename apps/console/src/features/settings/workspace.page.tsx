import { type ApiClient, ApiProblem } from '@crm/api-client';
import { LANGUAGES, type Language, Loaded, ProblemNotice, useLocale, useTexts } from '@crm/ui';
import { Button, Select, Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApiClient } from '../../session/api-client-context.js';
import { useAdministers } from '../shell/shell.queries.js';
import { SettingsPage } from './parts/settings-page.js';
import { unsaved } from './unsaved.js';
import { WORKSPACE_TEXTS } from './workspace.texts.js';

const readWorkspace = async (client: ApiClient) => {
  const { data } = await client.GET('/api/tenant');
  return data as NonNullable<typeof data>;
};
type Workspace = Awaited<ReturnType<typeof readWorkspace>>;

/** What a workspace is called, and where its days, numbers and amounts belong. */
export default function WorkspacePage() {
  const texts = useTexts(WORKSPACE_TEXTS);
  const client = useApiClient();
  const query = useQuery({ queryKey: ['workspace'], queryFn: () => readWorkspace(client) });
  return (
    <SettingsPage name="workspace" lead={texts.lead}>
      <Loaded query={query} label={texts.lead}>
        {(workspace) => <WorkspaceForm workspace={workspace} />}
      </Loaded>
    </SettingsPage>
  );
}

function WorkspaceForm({ workspace }: { readonly workspace: Workspace }) {
  const texts = useTexts(WORKSPACE_TEXTS);
  const { tag } = useLocale();
  const client = useApiClient();
  const queries = useQueryClient();
  const [changed, setChanged] = useState<Partial<Workspace>>({});
  const now = { ...workspace, ...changed };
  const readOnly = !useAdministers();
  const set = (name: keyof Workspace) => (value: string | null) =>
    setChanged((before) => ({ ...before, [name]: value }));
  const save = useMutation({
    mutationFn: (sent: Partial<Workspace>) => client.PATCH('/api/tenant', { body: sent as object }),
    onSuccess: async (_, sent) => {
      await Promise.all(['workspace', 'caller'].map((name) => queries.invalidateQueries({ queryKey: [name] })));
      setChanged((present) => unsaved(present, sent));
      notifications.show({ message: texts.saved, withCloseButton: false });
    },
  });
  const problems = save.error instanceof ApiProblem ? save.error.fields : [];
  const problemOf = (name: string) =>
    problems.some(({ pointer }) => pointer === `/${name}`) ? texts.unknown : undefined;
  const choice = (name: 'timeZone' | 'country' | 'currency' | 'language') =>
    ({
      value: now[name] ?? null,
      onChange: set(name),
      error: problemOf(name),
      readOnly,
      searchable: true,
      nothingFoundMessage: texts.nothingFound,
      allowDeselect: false,
    }) as const;

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(changed);
      }}
    >
      <Stack gap="md" maw={480}>
        <TextInput
          label={texts.name}
          required
          withAsterisk={false}
          maxLength={200}
          readOnly={readOnly}
          error={problemOf('name')}
          value={now.name}
          onChange={(event) => set('name')(event.currentTarget.value)}
        />
        <Select
          {...choice('timeZone')}
          label={texts.timeZone}
          description={texts.timeZoneHint}
          data={zones(now.timeZone)}
        />
        <Select
          {...choice('country')}
          label={texts.country}
          description={texts.countryHint}
          placeholder={texts.noCountry}
          clearable={!readOnly}
          clearButtonProps={{ 'aria-label': texts.noCountry }}
          data={named(tag, 'region', COUNTRIES)}
        />
        <Select
          {...choice('currency')}
          label={texts.currency}
          description={texts.currencyHint}
          data={named(tag, 'currency', Intl.supportedValuesOf('currency'))}
        />
        <Select
          {...choice('language')}
          searchable={false}
          label={texts.language}
          description={texts.languageHint}
          data={LANGUAGES.map((value: Language) => ({ value, label: texts.languages[value] }))}
        />
        <TextInput label={texts.plan} readOnly variant="unstyled" value={now.plan} />
        {save.error && problems.length === 0 ? <ProblemNotice problem={save.error} /> : null}
        {readOnly ? null : (
          <Button type="submit" loading={save.isPending} disabled={Object.keys(changed).length === 0}>
            {texts.save}
          </Button>
        )}
      </Stack>
    </form>
  );
}

/** `UTC` is in no list of the browsers. */
const zones = (own: string): string[] => [...new Set(['UTC', own, ...Intl.supportedValuesOf('timeZone')])];

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** ISO 3166-1 alpha-2, less what is no country of its own: browsers name countries, but do not list them. */
const COUNTRIES = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(
  (code) => !['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ'].includes(code),
);

/** Those codes that have a name, by name. */
function named(tag: string, type: 'region' | 'currency', codes: readonly string[]) {
  const names = new Intl.DisplayNames(tag, { type, fallback: 'none' });
  return codes
    .flatMap((value) => {
      const name = names.of(value);
      return name === undefined ? [] : [{ value, label: type === 'currency' ? `${value} – ${name}` : name }];
    })
    .sort((left, right) => left.label.localeCompare(right.label, tag));
}
