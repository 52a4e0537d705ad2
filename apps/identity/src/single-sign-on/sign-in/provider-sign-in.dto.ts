import { EmailField, ListField, TextField } from '@crm/http';

export class DiscoverQuery {
  @EmailField({ description: 'Whose sign-in it is; only the domain is looked at' })
  email: string;
}

export class SignInProviderView {
  @TextField({ maxLength: 64, description: 'What the addresses of a sign-in call the provider' })
  id: string;

  @TextField({ maxLength: 60, example: 'Example Inc. accounts' })
  name: string;
}

export class SignInProviderListView {
  @ListField(() => SignInProviderView)
  providers: SignInProviderView[];
}

export class StartedView {
  @TextField({ maxLength: 8192, description: 'Where to send the browser' })
  redirectTo: string;
}

export class ExchangeInput {
  @TextField({ maxLength: 200, description: '`code` of the fragment', example: 'b3BhcXVlLWNvZGU' })
  code: string;
}
