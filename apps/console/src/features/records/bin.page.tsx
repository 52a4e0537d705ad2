import '@mantine/core/styles/Table.css';
import { type CrmRecord, deletionOf } from '@crm/api-client';
import { type ObjectModel, RECORD_TEXTS, titleOf, useRecords } from '@crm/records-ui';
import { ReferenceName, useRecordPages, useRestore } from '@crm/records-ui/record';
import { EmptyNotice, Icon, LoadingLines, ProblemNotice, useLocale, useTexts } from '@crm/ui';
import { Anchor, Button, Paper, Stack, Table, Text, Title, VisuallyHidden } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { Link, useParams } from '@tanstack/react-router';
import { showProblem } from '../shell/parts/undo.js';
import { SHELL_TEXTS } from '../shell/shell.texts.js';
import { BIN_TEXTS } from './bin.texts.js';
import EraseButton from './parts/erase-button.js';
import { useTitle } from './use-title.js';

const PAGE_SIZE = 50;

/** What was deleted of an object, the last first. */
export default function BinPage() {
  const { object } = useParams({ strict: false });
  const texts = useTexts(SHELL_TEXTS);
  const bin = useTexts(BIN_TEXTS);
  const model = useRecords().objects.find(({ apiName }) => apiName === object);
  useTitle(model && bin.title(model.pluralLabel));
  if (!model) return <EmptyNotice title={texts.unknownList} text={texts.unknownListText} />;
  return <Bin key={model.apiName} model={model} />;
}

function Bin({ model }: { readonly model: ObjectModel }) {
  const texts = useTexts(BIN_TEXTS);
  const words = useTexts(RECORD_TEXTS);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useRecordPages(
    model.name,
    { deleted: 'only' },
    PAGE_SIZE,
  );
  const records = data?.pages.flatMap((page) => page.data);
  return (
    <Stack gap="md" align="flex-start">
      <Anchor
        size="sm"
        renderRoot={(props: object) => <Link to="/records/$object" params={{ object: model.apiName }} {...props} />}
      >
        <Icon name="back" /> {words.back(model.pluralLabel)}
      </Anchor>
      <Title order={1} size="h3">
        {texts.title(model.pluralLabel)}
      </Title>
      {error ? <ProblemNotice problem={error} onRetry={refetch} /> : null}
      {!records && !error ? <LoadingLines label={words.loading} lines={6} /> : null}
      {records?.length === 0 ? <EmptyNotice title={texts.empty} text={texts.text} /> : null}
      {records && records.length > 0 ? (
        <>
          <Text c="dimmed">{texts.text}</Text>
          <Paper withBorder w="100%">
            <Table verticalSpacing="xs">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{texts.name}</Table.Th>
                  <Table.Th visibleFrom="sm">{texts.at}</Table.Th>
                  <Table.Th visibleFrom="sm">{texts.by}</Table.Th>
                  {model.deletable ? (
                    <Table.Th>
                      <VisuallyHidden>{texts.action}</VisuallyHidden>
                    </Table.Th>
                  ) : null}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {records.map((record) => (
                  <DeletedRow key={record.id} model={model} record={record} />
                ))}
              </Table.Tbody>
            </Table>
          </Paper>
        </>
      ) : null}
      {hasNextPage ? (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {words.more}
        </Button>
      ) : null}
    </Stack>
  );
}

function DeletedRow({ model, record }: { readonly model: ObjectModel; readonly record: CrmRecord }) {
  const texts = useTexts(BIN_TEXTS);
  const words = useTexts(RECORD_TEXTS);
  const { tag } = useLocale();
  const { mutate, isPending } = useRestore(model.name);
  const name = titleOf(model, record) || words.untitled;
  const { at, by } = deletionOf(record);
  const when = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at));
  const restore = (): void =>
    mutate(record.id, {
      onSuccess: () => notifications.show({ message: texts.restored(name) }),
      onError: (problem) => showProblem(problem),
    });
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        {name}
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {when}
        </Text>
      </Table.Th>
      <Table.Td visibleFrom="sm">{when}</Table.Td>
      <Table.Td visibleFrom="sm">{by ? <ReferenceName target="user" id={by} /> : words.none}</Table.Td>
      {model.deletable ? (
        <Table.Td ta="end">
          <Button
            variant="default"
            size="compact-sm"
            loading={isPending}
            aria-label={texts.restoreOne(name)}
            onClick={restore}
          >
            {texts.restore}
          </Button>
          <EraseButton model={model} id={record.id} name={name} />
        </Table.Td>
      ) : null}
    </Table.Tr>
  );
}
