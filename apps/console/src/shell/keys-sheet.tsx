import { Button } from '../parts/button.js';
import { Dialog } from '../parts/dialog.js';
import { appPlaces, instancePlaces, overviewPlace, settingsPlace } from './menu-items.js';

const everywhere: readonly (readonly [keys: string, what: string])[] = [
  ['?', 'this sheet'],
  ['/', 'search, or filter'],
  ['t', 'switch the theme: light, dark or system'],
  ['↑ ↓', 'move in a list; also Page Up, Page Down, Home and End'],
  ['Enter', 'open the selected row'],
  ['Esc', 'close the details'],
  ['p', 'Live: pause and resume'],
  ['c', 'Live: clear'],
];

/** The list of keyboard shortcuts. */
export const KeysSheet = ({ onClose }: { onClose(): void }) => (
  <Dialog title="Keys" onClose={onClose}>
    <div class="facts">
      {everywhere.map(([keys, what]) => [<Keys key={keys} value={keys} />, <span key={what}>{what}</span>])}
      {[overviewPlace, ...appPlaces, ...instancePlaces, settingsPlace].map(({ name, key }) => [
        <Keys key={key} value={`g ${key}`} />,
        <span key={name}>{name}</span>,
      ])}
    </div>
    <div class="row ends">
      <Button onClick={onClose}>Close</Button>
    </div>
  </Dialog>
);

const Keys = ({ value: keys }: { readonly value: string }) => (
  <span>
    {keys.split(' ').map((key) => (
      <kbd key={key} class="badge mono">
        {key}
      </kbd>
    ))}
  </span>
);
