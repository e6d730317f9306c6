import { OPTIONS } from '../options.ts';

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment variables in which hosting platforms state public host names.
 * Sources: https://render.com/docs/environment-variables, https://docs.railway.com/reference/variables,
 * https://fly.io/docs/machines/runtime-environment/, https://devcenter.heroku.com/articles/dyno-metadata
 */
const PLATFORM_VARIABLES = [
  'RENDER_EXTERNAL_HOSTNAME',
  'RAILWAY_PUBLIC_DOMAIN',
  'FLY_APP_NAME',
  'HEROKU_APP_DEFAULT_DOMAIN_NAME',
];

/** Returns the public host names of a hosting platform. */
export function listPlatformHosts(environment: Environment): readonly string[] {
  return PLATFORM_VARIABLES.flatMap((name) => {
    const host = environment[name]?.toLowerCase();
    if (!host) return [];
    return [name === 'FLY_APP_NAME' ? `${host}.fly.dev` : host];
  });
}

/** Returns the environment variables that set options of the server: undefined for those that are not set. */
export function getOptionVariables(environment: Environment): Environment {
  const names = Object.values(OPTIONS).flatMap(({ cli }: { readonly cli: { readonly env?: string } | undefined }) =>
    cli?.env ? [cli.env] : [],
  );
  return Object.fromEntries([...names, ...PLATFORM_VARIABLES].map((name) => [name, environment[name]]));
}
