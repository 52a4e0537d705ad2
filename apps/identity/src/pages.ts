import type { ListPage } from '@crm/http';
import { type FindManyOptions, type FindOptionsWhere, LessThan, MoreThan, type Repository } from 'typeorm';

export interface Page<Row> {
  readonly rows: Row[];
  readonly counted: number;
}

/** A page of rows by their ids, which say when they were made, and how many rows there are. */
export async function pageById<Row extends { id: string }>(
  repository: Repository<Row>,
  order: 'ASC' | 'DESC',
  where: FindOptionsWhere<Row> | FindOptionsWhere<Row>[],
  { after, limit, offset }: ListPage,
): Promise<Page<Row>> {
  const beyond = order === 'ASC' ? MoreThan : LessThan;
  const all = Array.isArray(where) ? where : [where];
  const rest = after ? all.map((one) => ({ ...one, id: beyond(after.id) })) : all;
  const options = { where: rest, order: { id: order } };
  const rows = await repository.find({ ...options, take: limit, skip: offset } as FindManyOptions<Row>);
  return { rows, counted: await repository.countBy(where) };
}
