// SPDX-License-Identifier: Apache-2.0
int function(int x) { return x; }
