// SPDX-License-Identifier: Apache-2.0
// A question that is answered by one of two buttons.

import { byId } from './elements.js';

/** @param {string} sentence @param {string} yes text of the button that agrees @returns {Promise<boolean>} */
export function ask(sentence, yes) {
  const dialog = byId('question');
  byId('question-sentence').textContent = sentence;
  byId('question-yes').textContent = yes;
  return new Promise((resolve) => {
    dialog.returnValue = '';
    byId('question-yes').onclick = () => dialog.close('yes');
    byId('question-no').onclick = () => dialog.close('');
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
    dialog.showModal();
  });
}
