import { BooleanField, EmailField, ListField, TextField } from '@crm/http';

export class DiscoverInput {
  @EmailField({ description: 'Whose sign-in it is; only the domain is looked at' }) email: string;
}

export class SignInProviderView {
  @TextField({ maxLength: 64, description: 'What the addresses of a sign-in call the provider' }) id: string;
  @TextField({ maxLength: 60, example: 'Example Inc. accounts' }) name: string;
}

export class SignInProviderListView {
  @ListField(() => SignInProviderView) providers: SignInProviderView[];
}

export class StartInput {
  @BooleanField({
    optional: true,
    description:
      'Whether the provider has to authenticate the person again. The session then counts as a recent proof, unless the provider does not say when it did',
    example: true,
  })
  fresh?: boolean;
}

export class StartedView {
  @TextField({ maxLength: 8192, description: 'Where to send the browser' }) redirectTo: string;
}

export class ExchangeInput {
  @TextField({ maxLength: 200, description: '`code` of the fragment', example: 'b3BhcXVlLWNvZGU' }) code: string;
}
