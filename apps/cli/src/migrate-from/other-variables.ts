/** Variables that begin alike, and the path below which their settings are. */
export type VariableGroup = readonly [prefix: string, path: string, names: string];

/**
 * The paths of settings by the variables that set them: `['CLUSTER_', 'cluster.', 'PORT HOST=hostname']` is CLUSTER_PORT
 * for cluster.port and CLUSTER_HOST for cluster.hostname.
 * @param spelled a setting's name in the other server's way, where the group has none
 */
export const pathsByVariable = (groups: readonly VariableGroup[], spelled: (name: string) => string) =>
  Object.fromEntries(
    groups.flatMap(([prefix, path, names]) =>
      names.split(' ').map((each) => {
        const [name = '', setting = spelled(name.toLowerCase())] = each.split('=');
        return [prefix + name, path + setting];
      }),
    ),
  );
