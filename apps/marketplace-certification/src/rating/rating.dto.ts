import { DateTimeField, IntegerField, TextField } from '@crm/http';

export class RateInput {
  @IntegerField({ minimum: 1, maximum: 5 })
  stars: number;

  @TextField({
    optional: true,
    maxLength: 2000,
    description: 'Shown with the listing, without a name',
    example: 'Saves us an hour a day',
  })
  text?: string;
}

export class RatingView {
  @IntegerField({ minimum: 1, maximum: 5 })
  stars: number;

  @TextField({ maxLength: 2000, nullable: true })
  text: string | null;

  @DateTimeField()
  updatedAt: string;
}
