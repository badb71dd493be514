// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines of text: words, "key=value" tables, lists of numbers, hex. What is
 * refused is said once in the kernel's log and kept for the "error" file.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "hbasim.h"

int sim_split(char *text, struct sim_line *line)
{
	char *comment = text;

	/* A comment is a "#" at a word's beginning. */
	while ((comment = strchr(comment, '#'))) {
		if (comment == text || isspace(comment[-1])) {
			*comment = 0;
			break;
		}
		comment++;
	}
	line->count = 0;
	line->next = 0;
	text = skip_spaces(text);
	while (*text) {
		struct sim_word *word = &line->word[line->count];

		if (line->count++ == ARRAY_SIZE(line->word))
			return sim_refuse("more than %zu words", ARRAY_SIZE(line->word));
		text = skip_spaces(next_arg(text, &word->key, &word->value));
	}
	return 0;
}

char *sim_next(struct sim_line *line)
{
	if (line->next == line->count || line->word[line->next].value)
		return NULL;
	return line->word[line->next++].key;
}

/* Decimal, or hexadecimal after 0x; never octal. */
static int plain_number(const char *text, u64 *value)
{
	return kstrtou64(text, strncmp(text, "0x", 2) ? 10 : 16, value);
}

/* The factor of a transfer period in ns with a point, or of "async" (SPI-4 table 47). */
static int period_factor(const char *text, u64 *value)
{
	static const struct sim_choice periods[] = {
		{ "3.125", 0x07 }, { "6.25", 0x08 },
		{ "12.5", 0x09 },  { "25.0", 0x0a },
		{ "30.3", 0x0b },  { "50.0", 0x0c },
		{ "100.0", 0x19 }, { "200.0", 0x32 },
		{ "async", 0xff }, {},
	};
	const struct sim_choice *period;

	for (period = periods; period->name; period++) {
		if (!strcmp(period->name, text)) {
			*value = period->value;
			return 0;
		}
	}
	return plain_number(text, value);
}

static bool chosen(const struct sim_choice *choice, const char *text, u64 *value)
{
	for (; choice && choice->name; choice++) {
		if (!strcmp(choice->name, text)) {
			*value = choice->value;
			return true;
		}
	}
	return false;
}

/* All of "a,b,c" must be choices. The text is used up. */
static int set_of(const struct sim_key *key, char *text, u64 *value)
{
	char *one;
	u64 bit;

	*value = 0;
	while ((one = strsep(&text, ","))) {
		if (!chosen(key->choices, one, &bit))
			return -EINVAL;
		*value |= bit;
	}
	return 0;
}

static int number(const struct sim_key *key, char *text, u64 *value)
{
	if (!text) {
		*value = 1;
		return key->type == SIM_FLAG ? 0 : -EINVAL;
	}
	if (chosen(key->choices, text, value))
		return 0;
	if (key->type == SIM_SET)
		return set_of(key, text, value);
	if (key->type == SIM_PERIOD)
		return period_factor(text, value);
	return plain_number(text, value);
}

static int set_one(void *object, const struct sim_key *key, char *text)
{
	void *field = object + key->offset;
	u64 value;

	if (key->type == SIM_TEXT) {
		if (!text || strscpy(field, text, key->limit) < 0)
			return sim_refuse("%s: a text of at most %llu characters", key->name,
					  key->limit - 1);
		return 0;
	}
	if (number(key, text, &value))
		return sim_refuse("%s: what is %s?", key->name, text ?: "no value");
	if (value > key->limit)
		return sim_refuse("%s: %s is more than %llu", key->name, text, key->limit);
	if (key->type == SIM_U64)
		*(u64 *)field = value;
	else
		*(u32 *)field = value;
	return 0;
}

static const struct sim_key *known(const struct sim_key *keys, const char *name)
{
	for (; keys && keys->name; keys++)
		if (!strcmp(keys->name, name))
			return keys;
	return NULL;
}

int sim_set_both(void *one, const struct sim_key *keys, void *other,
		 const struct sim_key *other_keys, struct sim_line *line)
{
	for (; line->next < line->count; line->next++) {
		const struct sim_word *word = &line->word[line->next];
		const struct sim_key *key = known(keys, word->key);
		void *object = one;
		int err;

		if (!key) {
			key = known(other_keys, word->key);
			object = other;
		}
		if (!key)
			return sim_refuse("unknown word %s", word->key);
		err = set_one(object, key, word->value);
		if (err)
			return err;
	}
	return 0;
}

int sim_set(void *object, const struct sim_key *keys, struct sim_line *line)
{
	return sim_set_both(object, keys, NULL, NULL, line);
}

int sim_place(char *text, char **name, int *id)
{
	char *colon;

	if (!text)
		return sim_refuse("a name is missing");
	*name = text;
	*id = -1;
	colon = strchr(text, ':');
	if (!colon)
		return 0;
	*colon = 0;
	if (kstrtoint(colon + 1, 10, id) || *id < 0)
		return sim_refuse("%s: what is :%s?", text, colon + 1);
	return 0;
}

int sim_list(const char *text, unsigned long *bits, unsigned int size)
{
	if (!text || bitmap_parselist(text, bits, size) || bitmap_empty(bits, size))
		return sim_refuse("%s is no list of numbers below %u", text ?: "nothing", size);
	return 0;
}

int sim_hex(struct sim_line *line, u8 **data, unsigned int *length)
{
	unsigned int i, digits = 0;
	char *text, *end;

	for (i = line->next; i < line->count; i++)
		digits += strlen(line->word[i].key);
	if (!digits || digits % 2)
		return sim_refuse("%u hex digits make no bytes", digits);
	text = kmalloc(digits + 1, GFP_KERNEL);
	*data = kmalloc(digits / 2, GFP_KERNEL);
	if (!text || !*data) {
		kfree(text);
		kfree(*data);
		return -ENOMEM;
	}
	for (i = line->next, end = text; i < line->count; i++)
		end += sprintf(end, "%s", line->word[i].key);
	line->next = line->count;
	*length = digits / 2;
	if (hex2bin(*data, text, *length)) {
		kfree(*data);
		kfree(text);
		return sim_refuse("not hex digits");
	}
	kfree(text);
	return 0;
}
