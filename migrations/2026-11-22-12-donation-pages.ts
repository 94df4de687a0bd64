import { Migration } from '@mikro-orm/migrations';

/** Payment accounts, currencies, and what is asked for on donation pages. */
export class DonationPages extends Migration {
  override up(): void {
    this.addSql(`
      create table core_paymentaccount (
        id serial primary key,
        name text not null,
        processor text not null default 'import_stub',
        currency text not null default 'USD',
        hidden boolean not null default false,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_paymentaccount_name_unique unique (name)
      );

      create table core_currency (
        id serial primary key,
        iso_code text not null,
        name text not null default '',
        per_euro numeric(24,10) not null,
        rate_date date,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_currency_per_euro_check check (per_euro > 0::numeric),
        constraint core_currency_iso_code_unique unique (iso_code)
      );

      create table core_candidate (
        id serial primary key,
        name text not null,
        description text not null default '',
        portrait_url text not null default '',
        status text not null default 'active',
        hidden boolean not null default false,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_candidate_status_check check (status in ('active', 'inactive')),
        constraint core_candidate_name_unique unique (name)
      );

      create table core_product (
        id serial primary key,
        name text not null,
        description text not null default '',
        price numeric(14,2) not null default 0.00,
        shippable boolean not null default false,
        status text not null default 'active',
        hidden boolean not null default false,
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_product_status_check check (status in ('active', 'inactive')),
        constraint core_product_name_unique unique (name)
      );

      create table core_donationpage (
        page_ptr_id int primary key
          constraint core_donationpage_page_ptr_id_foreign references core_page (id) on update cascade on delete cascade,
        payment_account_id int
          constraint core_donationpage_payment_account_id_foreign references core_paymentaccount (id) on delete set null
      );

      create table core_donationform (
        id serial primary key,
        page_id int not null
          constraint core_donationform_page_id_foreign references core_page (id) on delete cascade,
        ask_text text not null default '',
        thank_you_text text not null default '',
        client_hosted boolean not null default false,
        client_url text not null default '',
        created_at timestamptz(6) not null default now(),
        updated_at timestamptz(6) not null default now(),
        constraint core_donationform_page_id_unique unique (page_id)
      );

      create table core_donationform_candidates (
        donation_form_id int not null
          constraint core_donationform_candidates_donation_form_id_foreign references core_donationform (id) on update cascade on delete cascade,
        candidate_id int not null
          constraint core_donationform_candidates_candidate_id_foreign references core_candidate (id) on update cascade on delete cascade,
        primary key (donation_form_id, candidate_id)
      );

      create table core_donationform_products (
        donation_form_id int not null
          constraint core_donationform_products_donation_form_id_foreign references core_donationform (id) on update cascade on delete cascade,
        product_id int not null
          constraint core_donationform_products_product_id_foreign references core_product (id) on update cascade on delete cascade,
        primary key (donation_form_id, product_id)
      );

      -- The account pushes use.
      insert into core_paymentaccount (name, processor, currency) values ('Default Import Stub', 'import_stub', 'USD');
    `);
  }
}
