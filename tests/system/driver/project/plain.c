/* SPDX-License-Identifier: Apache-2.0 */
int plain(void);
int plain(void) { return 1; }
