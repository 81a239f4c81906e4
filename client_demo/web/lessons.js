/** How to play, in five pictures drawn by the board itself. */
import { el } from './elements.js';
import { BoardView } from './boardview.js';
import { Board } from './board.js';
import { t } from './texts.js';

// What each picture shows: a board, and the pairs on it as [a, b, seat] (null: refused) with what lies between.
const PICTURES = [
  {
    text: 'pairs',
    board: '28.4...19/3.77..5.6/.1..9...2',
    lines: [
      [0, 1, 0],
      [6, 7, 1],
    ],
  },
  {
    text: 'gaps',
    board: '5...5.3.1/..8..4..7/6.2.9.1.3',
    lines: [
      [0, 1, 0],
      [2, 11, 1],
    ],
  },
  { text: 'wraps', board: '4.1.7.2.6/..4.8.3.1/5.9..2.7.', lines: [[4, 5, 0, { wrap: true }]] },
  { text: 'blocked', board: '1.3.4.7.2/9.5..6..8/..2.1.3.4', lines: [[1, 3, null, { blockers: [2] }]] },
  { text: 'rows', board: '....6..4./3.8.5.1.7/9.2.7.5.1', lines: [[0, 1, 0]] },
];

/** Make the list of the five pictures with their sentences, and a word on keys where there may be some. */
export function lessons() {
  return [
    el(
      'ol',
      { class: 'lessons', tabindex: 0, 'aria-label': t('howTo') },
      PICTURES.map((picture) => el('li', {}, drawn(picture), el('p', {}, t(`lesson.${picture.text}`)))),
    ),
    el('p', { class: 'soft small keys' }, t('lesson.keys')),
  ];
}

function drawn({ board, lines }) {
  const view = new BoardView({ label: t('example') });
  view.show(Board.parse(board));
  for (const [a, b, seat, more] of lines) view.keep(a, b, seat, more);
  view.element.inert = true;
  return view.element;
}
